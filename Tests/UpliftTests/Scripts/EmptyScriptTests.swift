import TestSupport
import Testing
import Uplift

/// Scripts without a statement, which often exist on purpose.
struct EmptyScriptTests {
  @Test(
    .tags(.S8),
    arguments: [
      "-- taken back, see 7", "/* for another database */", ";; \n-- nothing\n;/* at all */",
      "\u{feff}-- nothing", "--", "/**/", "-- uplift: no-transaction\n-- no VACUUM any more",
      // The slash that begins a comment does not end it.
      "/*/ it's */",
    ])
  func `are run if they hold a comment, and their version is set`(text: String) throws {
    let trial = try Trial("CREATE TABLE t(a);", text, text, "INSERT INTO t VALUES(1);")

    let upgrade = try trial.upgrade()

    #expect(upgrade.applied.map(\.version) == [1, 2, 3, 4])
    #expect(try trial.version() == 4)
    #expect(try trial.ask("SELECT * FROM t") == "1")
  }

  @Test(
    .tags(.S8),
    arguments: ["", " \n\t\r\n", "\u{feff}", ";", "-- uplift: no-transaction\n;"])
  func `are refused if they hold nothing`(text: String) throws {
    let trial = try Trial("CREATE TABLE t(a);", text)

    let error = try #require(trial.error())

    let words = "\(trial.path(2)):1:1: there is neither a statement nor a comment"
    #expect(error.says(.scripts, words))
    #expect(trial.scratch.names() == ["Migrations"])
  }
}
