import Foundation
import TestSupport
import Testing
import Uplift

/// Another process changes or replaces the database while an upgrade waits or runs.
struct ChangedDatabaseTests {
  @Test(.tags(.F11))
  func `refuses to commit after another file replaced the database`() throws {
    for mode in ["delete", "wal"] {
      let trial = try Trial(
        "INSERT INTO t VALUES(1);", "INSERT INTO t VALUES(2);",
        start: "PRAGMA journal_mode=\(mode); CREATE TABLE t(a);")
      try Shell.run(trial.scratch("other.db"), "CREATE TABLE t(a);")

      let error = Result {
        try trial.upgrader { $0.commitInterval = .zero }.upgrade { event in
          if event == .finished(2) {
            rename(trial.scratch("other.db"), trial.database)
          }
        }
      }

      #expect(throws: UpgradeError.moved(trial.database, openAt: 1), "\(mode)") {
        try error.get()
      }
      // In WAL mode the log beside the database now belongs to the other file.
      if mode == "delete" { #expect(try trial.state() == trial.ask(".dump") + "\n0") }
    }
  }

  /// What another program did to a database at version 3, and what a boot to 4 says of it.
  static let changes: [(String, UpgradeError.Kind, String)] = [
    ("PRAGMA user_version = 0;", .unversioned, "has tables but no version"),
    ("PRAGMA user_version = 1;", .scripts, "the database is at 1, and no script leads to 2"),
    ("PRAGMA user_version = 9;", .newer, "the database is at 9, newer than the target 4"),
    ("PRAGMA user_version = -5;", .unversioned, "is at -5, which is not a version"),
    ("PRAGMA application_id = 99;", .foreign, "belongs to application 99, not 7"),
  ]

  @Test(.tags(.promise7, .F11), arguments: changes)
  func `judges a database again if it changed during the wait for the lock`(
    change: String, kind: UpgradeError.Kind, words: String
  ) throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA application_id = 7; PRAGMA user_version = 2;",
      scripts: ["3.sql": Site.script(3), "4.sql": Site.script(4)])
    try site.place(Site.seed + "PRAGMA application_id = 7; PRAGMA user_version = 3;")

    let writer = try site.hold("BEGIN IMMEDIATE;", end: change + "COMMIT;")

    let found = try site.error(target: 4) { try site.letGo() }

    _ = try writer.wait()
    #expect(found?.says(kind, words) == true, "\(String(describing: found))")
    #expect(try site.names() == ["seeded"])
  }

  @Test(.tags(.O4))
  func `reports a script that runs only because the version was set back`() throws {
    let site = try Site(scripts: [
      "2.sql": "CREATE TABLE IF NOT EXISTS two(a);",
      "3.sql": "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;",
    ])
    try site.place(Site.seed + "PRAGMA user_version = 2; PRAGMA journal_mode = WAL;")
    let service = try site.hold("SELECT count(*) FROM item;", end: "SELECT 1;")
    var hasWaited = false
    var told: [Version] = []

    let upgrade = try site.upgrader().upgrade { event in
      if case .started(let script) = event { told.append(script.version) }
      guard case .waiting = event, !hasWaited else { return }
      hasWaited = true
      #expect(throws: Never.self) {
        try Shell.run(site.database, "PRAGMA user_version = 1;")
        try site.letGo()
        _ = try service.wait()
      }
    }

    #expect(told == [3, 2, 3])
    #expect(upgrade.applied.map(\.version) == [2, 3])
  }

  @Test(.tags(.promise7, .F11))
  func `fills a database that was emptied while it waited for the lock`() throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA user_version = 2;",
      scripts: ["3.sql": Site.script(3), "4.sql": Site.script(4)])
    try site.place(Site.seed + "PRAGMA user_version = 3;")

    let writer = try site.hold(
      "BEGIN IMMEDIATE;", end: "DROP TABLE item; PRAGMA user_version = 0; COMMIT;")

    let error = try site.error(target: 4) { try site.letGo() }

    _ = try writer.wait()
    #expect(error == nil)
    #expect(try site.names() == ["seeded", "script 3", "script 4"])
  }

  private static func emptyOptions() -> Upgrader.Options {
    var options = Upgrader.Options()
    options.ifMissing = .empty
    return options
  }

  @Test(.tags(.promise2, .promise7, .F11))
  func `refuses an empty database that another application took while it waited`() throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA application_id = 7;", scripts: ["1.sql": "DROP TABLE users;"])
    try site.scratch.write("", to: "data/app.db")
    let writer = try site.hold(
      "BEGIN IMMEDIATE; CREATE TABLE users(name); PRAGMA application_id = 42;", end: "COMMIT;")

    let error = try site.error(target: 1, options: Self.emptyOptions()) { try site.letGo() }

    _ = try writer.wait()
    #expect(error == .foreign(site.database, 42, expected: 7))
    #expect(
      try Shell.run(site.database, "PRAGMA application_id; SELECT count(*) FROM users;") == "42\n0")
  }

  @Test(.tags(.promise7, .F11))
  func `marks a database as its own if another process emptied it during the wait`() throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA application_id = 7; PRAGMA user_version = 0;",
      scripts: ["1.sql": "CREATE TABLE one(a);", "2.sql": "-- uplift: no-transaction\nVACUUM;"])
    try site.place("CREATE TABLE old(a); PRAGMA application_id = 7;")
    let writer = try site.hold(
      "BEGIN IMMEDIATE;", end: "DROP TABLE old; PRAGMA application_id = 0; COMMIT;")

    let error = try site.error(target: 2, options: Self.emptyOptions()) { try site.letGo() }

    _ = try writer.wait()
    #expect(error == nil)
    #expect(try Shell.run(site.database, "PRAGMA application_id; PRAGMA user_version;") == "7\n2")
  }

  @Test(.tags(.promise7))
  func `marks an empty database as its own before a script without a transaction`() throws {
    let site = try Site(
      seed: Site.seed + "PRAGMA application_id = 7;",
      scripts: ["1.sql": "-- uplift: no-transaction\nVACUUM;"])

    _ = try site.upgrade(target: 1, options: Self.emptyOptions())

    #expect(try Shell.run(site.database, "PRAGMA application_id; PRAGMA user_version;") == "7\n1")
  }
}
