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

    var facts = stat()
    try #require(stat(backup, &facts) == 0)

    _ = try restore(site, before: call) { [facts] in
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: backup))
      try file.write(contentsOf: try #require(site.scratch.bytes("other.db")))
      // As `cp -p` does.
      try #require(futimens(file.fileDescriptor, [facts.st_mtim, facts.st_mtim]) == 0)
      try file.close()
    }

    #expect(try Shell.run(site.database, "SELECT count(DISTINCT text) FROM more;") == "1")
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
  }

  /// `cp` empties the file first, and a full disk leaves it so.
  @Test(.tags(.promise15, .O8), arguments: ["DELETE", "WAL"], 1...6)
  func `does not empty the database if the backup is emptied`(journal: String, call: Int) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    var error: UpgradeError?

    do {
      let restore = try restore(site, before: call) {
        try site.scratch.write("", to: "backups/app-1.db")
      }
      #expect(try Shell.dump(restore.replaced ?? "") == before)
      #expect(try site.names() == ["seeded", "mine"])
    } catch let thrown as UpgradeError {
      error = thrown
    }

    guard let error else { return }
    #expect(error.kind == "backup")
    #expect(try Shell.dump(site.database) == before)
    #expect(site.scratch.names("backups") == ["app-1.db"])
  }

  /// The restore has opened the one database, and waits for its writer.
  @Test(.tags(.promise15, .O9))
  func `copies the database that it replaces if a link leads elsewhere`() throws {
    let site = try Site.upgraded(journal: "WAL")
    try site.scratch.move("data", to: "data_a")
    let (data, files) = (site.scratch("data"), FileManager.default)
    try files.copyItem(atPath: site.scratch("data_a"), toPath: site.scratch("data_b"))
    try files.createSymbolicLink(atPath: data, withDestinationPath: "data_a")
    let mine = try Shell.dump(site.scratch("data_a/app.db"))
    try Shell.run(site.scratch("data_b/app.db"), "INSERT INTO item VALUES (100, 'other');")
    let service = try site.hold("BEGIN IMMEDIATE;", end: "ROLLBACK;")

    let restore = try restore(site, before: 60) {
      try files.removeItem(atPath: data)
      try files.createSymbolicLink(atPath: data, withDestinationPath: "data_b")
      try site.letGo()
    }
    _ = try service.wait()

    #expect(try Shell.dump(restore.replaced ?? "") == mine)
  }

  /// As above, after the backup has been checked.
  @Test(.tags(.promise15, .O8), arguments: ["DELETE", "WAL"])
  func `does not empty the database if the backup is emptied after its check`(journal: String)
    throws
  {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    let upgrader = Upgrader(database: site.database, target: 3) { _ in
      try site.scratch.write("", to: "backups/app-1.db")
    }

    let error = #expect(throws: UpgradeError.self) {
      try upgrader.restore(from: site.scratch("backups"))
    }

    #expect(error?.kind == "backup")
    #expect(try Shell.dump(site.database) == before)
    #expect(site.scratch.names("backups") == ["app-1.db"])
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

  /// A program that does not use SQLite replaces, empties or removes the database.
  @Test(.tags(.promise15, .O9), arguments: ["DELETE", "WAL"], ["mv", "cp", "rm", ": >"])
  func `keeps its copy if the database is not there any more`(
    journal: String, command: String
  ) throws {
    let site = try Site.upgraded(journal: journal)
    let before = try Shell.dump(site.database)
    try Shell.run(try site.scratch.write("", to: "other.db"), Site.seed)
    let copy = site.scratch("backups/app-3-replaced.db")
    let hasSource = ["mv", "cp"].contains(command)
    let words = hasSource ? [command, site.scratch("other.db")] : [command]
    var isDone = false

    #expect(throws: UpgradeError.self) {
      try site.upgrader().restore(
        from: site.scratch("backups"),
        isCancelled: {
          guard site.scratch.bytes("backups/app-3-replaced.db") != nil, !isDone else {
            return isDone
          }
          isDone = true
          let line = (words + [site.database]).joined(separator: " ")
          _ = try? Command("/bin/sh").start(["-c", line]).wait()
          return true
        })
    }

    #expect(try Shell.dump(copy) == before)
  }

  /// After the rollback, the database does not have the same bytes for long.
  @Test(.tags(.promise15, .O6)) func `leaves no copy beside a program that writes all the time`()
    throws
  {
    let site = try Site.upgraded()
    let writer = try site.keepWriting()
    defer { writer.terminate() }
    var options = Upgrader.Options()
    options.patience = .seconds(60)

    let errors = try (1...5).map { _ in
      try #require(throws: UpgradeError.self) {
        try Upgrader(database: site.database, target: 3, options: options).restore(
          from: site.scratch("backups"),
          isCancelled: { site.scratch.names("backups").contains("app-3-replaced.db") })
      }
    }
    try site.letGo()
    _ = try writer.wait()

    #expect(errors.allSatisfy { $0.kind == "cancelled" })
    #expect(site.scratch.names("backups") == ["app-1.db"])
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
