import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// What a program reads from an error.
struct ErrorFactsTests {
  @Test(
    arguments: [
      (.transaction("COMMIT"), "COMMIT"),
      (.savepoint, "SAVEPOINT"),
      (.attach, "ATTACH"),
      (.detach, "DETACH"),
      (.vacuumInto, "VACUUM INTO"),
      (.pragma("journal_mode=off"), "PRAGMA journal_mode=off"),
      (.pragmaInTransaction("journal_mode"), "PRAGMA journal_mode"),
      (.parameter(":name"), ":name"),
    ] as [(Refusal, String)])
  func `name what is refused in a statement`(refusal: Refusal, name: String) {
    #expect(UpgradeError.Refused(refusal).name == name)
  }
}
