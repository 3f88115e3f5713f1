import TestSupport
import Testing
import Uplift

/// The database does not get the mode of the seed, which may ship read-only.
struct ModeTests {
  @Test(.tags(.F6), arguments: [0o444, 0o400, 0o777]) func `is never the seed's`(mode: Int) throws {
    let site = try Site()
    try site.mode("resources/app.db", mode)

    let upgrade = try site.upgrade()

    #expect(upgrade.end == 3)
    #expect(try site.mode("data/app.db") == 0o644)
  }

  @Test(.tags(.F6)) func `is the one that SQLite would give it under a umask`() throws {
    let site = try Site()
    let boot = "umask 077; exec '\(Command.product("BootHelper").path)' \"$@\""

    let outcome = try Command("/bin/sh").run(
      "-c", boot, "sh", site.database, "--seed", site.seed, "--migrations", site.scripts,
      "--target", "3")

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try site.mode("data/app.db") == 0o600)
    #expect(try site.mode("data") == 0o700)
  }

  @Test(.tags(.F6), arguments: ["delete", "wal"])
  func `is checked before a script runs: the database may be read-only`(journal: String) throws {
    let site = try Site(scripts: ["2.sql": "NONSENSE;"])
    try site.makeData()
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")
    try site.mode("data/app.db", 0o444)

    let outcome = try site.boot(target: 2, Site.unprivileged)

    #expect(outcome.output.hasSuffix("\" has to be written and is read-only\n"))
    #expect(try site.names() == ["seeded"])
  }
}
