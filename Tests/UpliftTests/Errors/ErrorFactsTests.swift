import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// What a program reads from an error.
struct ErrorFactsTests {
  @Test func `have names in the catch of a program`() throws {
    let trial = try Trial("SELECT 1;", start: "CREATE TABLE t(a); PRAGMA user_version = 9;")
    var told: [Version] = []

    do {
      _ = try trial.upgrader(to: 1).upgrade()
    } catch .newer(let newer) {
      told = [newer.database, newer.target]
    }

    #expect(told == [9, 1])
  }

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
