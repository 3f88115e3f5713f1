import TestSupport
import Testing
import Uplift

/// A current database boots from a data directory that may not be written.
struct ReadOnlyTests {
  private func site(_ journal: String) throws -> Site {
    let site = try Site()
    try site.makeData()
    try site.place(Site.seed + "PRAGMA user_version=3; PRAGMA journal_mode=\(journal);")
    try site.mode("data/app.db", 0o444)
    try site.mode("data", 0o555)
    return site
  }

  /// The output of a boot that would have to write the database.
  private func readOnly(_ site: Site) -> String {
    "denied\n\"\(site.database)\" has to be written and is read-only\n"
  }

  @Test(.tags(.F14, .promise9), arguments: ["delete", "wal"])
  func `boots a current database`(journal: String) throws {
    let site = try site(journal)

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.output == "3 -> 3\n")
  }

  @Test(.tags(.F14), arguments: ["delete", "wal"])
  func `says what is read-only if there is work to do`(journal: String) throws {
    let site = try site(journal)
    try site.scratch.write(Site.script(4), to: "resources/scripts/4.sql")
    let before = try site.snapshot()

    let outcome = try site.boot(target: 4, Site.unprivileged)

    #expect(outcome.output == readOnly(site))
    #expect(try site.snapshot() == before)
  }

  /// The log would belong to this user, and the owner of the database could not write it.
  @Test(.tags(.F14, .promise9)) func `leaves no log beside another user's database`() throws {
    let site = try site("wal")
    try site.mode("data", 0o777)
    try site.scratch.write(Site.script(4), to: "resources/scripts/4.sql")
    let before = try site.snapshot()

    let outcome = try site.boot(target: 4, Site.unprivileged)

    #expect(outcome.output == readOnly(site))
    #expect(try site.snapshot() == before)
  }

  /// The journal that a service keeps can be written, but SQLite wants to remove it at the end.
  @Test(.tags(.F14, .promise9), arguments: ["persist", "truncate"])
  func `leaves no journal that it may not remove`(journal: String) throws {
    let site = try Site()
    try site.makeData()
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal); PRAGMA user_version=1;")
    try site.mode("data/app.db", 0o666)
    try site.mode("data/app.db-journal", 0o666)
    try site.mode("data", 0o555)
    let before = try site.snapshot()

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.output == readOnly(site))
    #expect(try site.snapshot() == before)
  }

  /// SQLite could not open the log for a moment, because another boot was switching it on.
  @Test(.tags(.F14, .F19)) func `is not taken for read-only because of one moment`() throws {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=wal;")

    let outcome = try site.boot(rules: "fail 13 call open path -wal times 2")

    #expect(outcome.output.hasPrefix("1 -> 3\n"))
  }

  @Test(.tags(.F14)) func `says what is read-only if a database would have to be made`() throws {
    let site = try Site()
    try site.makeData()
    try site.mode("data", 0o555)

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.output.hasPrefix("denied\n"))
    #expect(try site.snapshot().names == [])
  }

  /// The file has a raised version, and the journal beside it would undo that.
  @Test(.tags(.F14, .promise4), arguments: [(0o444, 0o444), (0o666, 0o444), (0o666, 0o666)])
  func `does not ignore a journal that would undo a change of the file`(
    mode: Int, journal: Int
  ) throws {
    let site = try Site()
    try site.makeData()
    try site.place(Site.seed)
    _ = try site.boot(rules: "kill call unlink path -journal")
    try site.mode("data/app.db", mode)
    try site.mode("data/app.db-journal", journal)
    try site.mode("data", 0o555)

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("denied\n"))
  }
}
