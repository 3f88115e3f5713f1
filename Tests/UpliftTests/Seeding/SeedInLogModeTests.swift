import Foundation
import TestSupport
import Testing
import Uplift

/// A seed in WAL mode: its header says so, and part of it may lie in a file beside it.
struct SeedInLogModeTests {
  @Test(.tags(.F4), arguments: ["-wal", "-journal"])
  func `is refused if a file beside it holds changes`(suffix: String) throws {
    let site = try Site()
    try site.scratch.write("changes", to: "resources/app.db" + suffix)

    expectError(
      .seed, "the seed \"\(site.seed)\" has changes outside it, in \"\(site.seed)\(suffix)\""
    ) { _ = try site.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F4)) func `is refused while another program has it open`() throws {
    let site = try Site()
    let shell = try Command("/usr/bin/sqlite3").start(
      ["-batch", site.seed],
      input: """
        PRAGMA journal_mode=wal; INSERT INTO item(name) VALUES('in the log');
        .shell touch '\(site.scratch("open"))'; sleep 1
        """)
    try waitUntil { site.scratch.bytes("open") != nil }

    expectError(
      .seed, "the seed \"\(site.seed)\" has changes outside it, in \"\(site.seed)-wal\""
    ) { _ = try site.upgrade() }

    #expect(try shell.wait().status == 0)
    #expect(try site.upgrade().start == .seeded(1))
    #expect(try site.names() == ["seeded", "in the log", "script 2", "script 3"])
  }

  @Test(.tags(.F4)) func `is copied from a directory that may not be written`() throws {
    let site = try Site()
    try Shell.run(site.seed, "PRAGMA journal_mode=wal;")
    try site.makeData()
    try site.mode("resources", 0o555)

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try Shell.run(site.database, "PRAGMA journal_mode;") == "wal")
    try site.mode("resources", 0o755)
  }

  @Test(.tags(.F4, .F1)) func `fills an empty file from a directory that may not be written`()
    throws
  {
    let site = try Site()
    try Shell.run(site.seed, "PRAGMA journal_mode=wal;")
    try site.makeData()
    try site.scratch.write("", to: "data/app.db")
    try site.mode("data/app.db", 0o666)
    try site.mode("resources", 0o555)

    let outcome = try site.boot(Site.unprivileged)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    try site.mode("resources", 0o755)
  }
}
