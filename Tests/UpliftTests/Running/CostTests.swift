import Foundation
import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// What scripts cost.
///
/// Each test is a process of its own, so that no other disturbs its figures.
struct CostTests {
  @Test(.tags(.S12))
  func `holds a large script in memory once`() async throws {
    let trial = try Trial("SELECT 1;", "")
    let line = "INSERT INTO t VALUES('\(String(repeating: "x", count: 20_000))');\n"
    let size = 30 << 20
    try trial.write(
      "CREATE TABLE t(a);\n" + String(repeating: line, count: size / line.utf8.count), as: 2)

    await #expect(processExitsWith: .success) {
      [database = trial.database as String, scripts = trial.scratch("Migrations") as String] in
      let upgrader = Upgrader(database: database, migrations: .directory(scripts), target: 1)
      _ = try upgrader.upgrade()
      let before = try Self.figure("VmHWM", in: "/proc/self/status")

      _ = try Upgrader(database: database, migrations: .directory(scripts), target: 2).upgrade()

      let peak = try Self.figure("VmHWM", in: "/proc/self/status")
      // Besides the script: SQLite's cache of pages, two megabytes.
      #expect((peak - before) * 1024 < (30 << 20) + (8 << 20))
    }
    #expect(try trial.version() == 2)
  }

  @Test(.tags(.promise10))
  func `keeps nothing in memory after a boot`() async throws {
    let trial = try Trial(
      "INSERT INTO child VALUES(NULL);",
      start: """
        CREATE TABLE parent(id INTEGER PRIMARY KEY);
        CREATE TABLE child(pid REFERENCES parent);
        INSERT INTO child VALUES(70);
        """)

    await #expect(processExitsWith: .success) {
      [database = trial.database as String, scripts = trial.scratch("Migrations") as String] in
      let upgrader = Upgrader(database: database, migrations: .directory(scripts))
      var used: [Int64] = []
      for _ in 1...5 {
        try Shell.run(database, "PRAGMA user_version = 0")
        _ = try upgrader.upgrade()
        used.append(sqlite3_memory_used())
      }
      #expect(used[4] == used[1])
    }
  }

  static let cheap = [
    "INSERT INTO log VALUES('one'); UPDATE log SET text = 'two'; DELETE FROM log;",
    "ALTER TABLE log ADD COLUMN kind REFERENCES kinds;",
    "CREATE TABLE other(a REFERENCES kinds); INSERT INTO other VALUES(1);",
    "DROP TABLE log;",
    "CREATE VIEW v AS SELECT * FROM big;",
  ]

  @Test(.tags(.promise10), arguments: cheap)
  func `does not read a large table for a script over another one`(script: String) async throws {
    let trial = try Trial(
      "SELECT 1;", script,
      start: """
        CREATE TABLE log(text);
        CREATE TABLE kinds(id INTEGER PRIMARY KEY, name);
        CREATE TABLE big(kind REFERENCES kinds, filling);
        INSERT INTO kinds VALUES(1, 'one');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO big SELECT 1, zeroblob(1000) FROM n;
        """)

    await #expect(processExitsWith: .success) {
      [database = trial.database as String, scripts = trial.scratch("Migrations") as String] in
      let upgrader = Upgrader(database: database, migrations: .directory(scripts), target: 1)
      _ = try upgrader.upgrade()
      let before = try Self.figure("rchar", in: "/proc/self/io")

      _ = try Upgrader(database: database, migrations: .directory(scripts), target: 2).upgrade()

      let read = try Self.figure("rchar", in: "/proc/self/io") - before
      // The large table has four megabytes.
      #expect(read < 400_000)
    }
    #expect(try trial.version() == 2)
  }

  /// A figure that Linux keeps of this process.
  static func figure(_ name: String, in file: String) throws -> Int {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix(name + ":") })
    return try #require(line.split { !$0.isNumber }.last.flatMap { Int($0) })
  }
}
