import Foundation
import TestSupport
import Testing
import Uplift

/// Another program changes the database or the backup while a restore runs.
extension RestoreTests {
  /// Does other work when the restore asks for the n-th time whether it is cancelled.
  private func restore(
    _ site: Site, before call: Int, _ work: @escaping () throws -> Void
  ) throws -> Restore {
    var calls = 0
    var options = Upgrader.Options()
    options.patience = .seconds(20)
    return try Upgrader(database: site.database, target: 3, options: options)
      .restore(
        from: site.scratch("backups"),
        isCancelled: {
          calls += 1
          if calls == call { #expect(throws: Never.self) { try work() } }
          return false
        })
  }

  /// A service switches the log on when it starts, and goes on.
  @Test(.tags(.promise15, .O9), arguments: 1...6)
  func `keeps the rows of a program that switches the log on`(call: Int) throws {
    let site = try Site.upgraded()
    let service = try site.hold(
      "BEGIN IMMEDIATE;",
      end: """
        COMMIT;
        PRAGMA journal_mode = wal;
        INSERT INTO item VALUES (100, 'last');
        .shell touch '\(site.scratch("written"))'
        .shell while ! test -e '\(site.scratch("end"))'; do sleep 0.02; done
        """)

    let restore = try restore(site, before: call) {
      try site.letGo()
      try waitUntil { site.scratch.bytes("written") != nil }
    }
    try site.scratch.write("", to: "end")
    _ = try service.wait()

    #expect(try site.names() == ["seeded", "mine"])
    #expect(
      try Shell.run(restore.replaced ?? "", "SELECT name FROM item WHERE id = 100;") == "last")
  }

  @Test(.tags(.promise15, .O8), arguments: 1...12)
  func `puts back one backup if another one is written into its file`(call: Int) throws {
    let site = try Site.upgraded()
    let backup = site.scratch("backups/app-1.db")
    let other = try site.scratch.write(
      try #require(site.scratch.bytes("backups/app-1.db")), to: "other.db")
    for (file, text) in [(backup, "one"), (other, "other")] {
      try Shell.run(
        file,
        """
        CREATE TABLE more AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
          SELECT '\(text)' AS text, hex(zeroblob(500)) AS bytes FROM n;
        """)
    }

    _ = try restore(site, before: call) {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: backup))
      try file.write(contentsOf: try #require(site.scratch.bytes("other.db")))
      try file.close()
    }

    #expect(try Shell.run(site.database, "SELECT count(DISTINCT text) FROM more;") == "1")
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
  }

  @Test(.tags(.promise15, .O9), arguments: 1...12)
  func `does not claim to have restored a file that has lost its name`(call: Int) throws {
    let site = try Site.upgraded()
    let before = try Shell.dump(site.database)
    let other = try site.scratch.write("", to: "other.db")
    try Shell.run(other, Site.seed + "INSERT INTO item VALUES (8, 'other');")
    var restored: Restore?

    do {
      restored = try restore(site, before: call) {
        guard rename(other, site.database) == 0 else { throw CocoaError(.fileWriteUnknown) }
      }
    } catch let error as UpgradeError {
      #expect(error.kind == "moved" || error.description.contains("app-3-replaced.db"))
    }

    if restored == nil {
      #expect(try site.names() == ["seeded", "other"])
      let copy = site.scratch("backups/app-3-replaced.db")
      if site.scratch.bytes("backups/app-3-replaced.db") != nil {
        #expect(try Shell.dump(copy) == before)
      }
    } else {
      #expect(try site.names() == ["seeded", "mine"])
    }
  }

  /// The reader sees a state that is older than the log, so the log cannot be emptied.
  @Test(.tags(.promise15, .O6)) func `leaves no copy if it is cancelled beside a reader`() throws {
    let site = try Site.upgraded(journal: "WAL")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", end: "ROLLBACK;")
    try Shell.run(site.database, "INSERT INTO item VALUES (100, 'last');")

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader().restore(
        from: site.scratch("backups"),
        isCancelled: { site.scratch.names("backups").contains("app-3-replaced.db") })
    }
    try site.letGo()
    _ = try reader.wait()

    #expect(error?.kind == "cancelled")
    #expect(site.scratch.names("backups") == ["app-1.db"])
    #expect(try site.names().last == "last")
  }

  @Test(.tags(.O6)) func `is cancelled while it waits for its first look`() throws {
    let site = try Site.upgraded()
    let writer = try site.hold("BEGIN EXCLUSIVE;", end: "ROLLBACK;")
    var options = Upgrader.Options()
    options.patience = .seconds(2)
    var calls = 0

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader(options: options).restore(
        from: site.scratch("backups"),
        isCancelled: {
          calls += 1
          return calls > 3
        })
    }
    try site.letGo()
    _ = try writer.wait()

    #expect(error?.kind == "cancelled")
  }
}
