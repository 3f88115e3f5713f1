import CUpliftSQLite
import Glibc

// Runs random bytes as a script, in a whole upgrade of a fixed database. Either it is refused and
// nothing has changed, or the database is what SQLite alone makes of the script in a transaction.

private let directory = getenv("UPLIFT_FUZZ_DIRECTORY").map { String(cString: $0) } ?? "."
private let database = directory + "/app.db"
private let script = directory + "/scripts/2.sql"
private let seed: [UInt8] = {
  sqlite3_hard_heap_limit64(64 << 20)
  mkdir(directory, 0o755)
  mkdir(directory + "/scripts", 0o755)
  let path = directory + "/seed.db"
  unlink(path)
  Raw(path).run(
    """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE, b);
    CREATE TABLE c(id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE CASCADE);
    CREATE VIEW v AS SELECT a FROM t;
    CREATE TRIGGER g AFTER DELETE ON c BEGIN UPDATE t SET b = old.id WHERE id = old.t; END;
    INSERT INTO t VALUES(1, 'one', 1.5), (2, 'two', x'00'), (3, 'three', NULL);
    INSERT INTO c VALUES(1, 1), (2, 1), (3, 3);
    PRAGMA user_version = 1;
    """)
  return read(path)
}()
private let before = { () -> [String] in
  write(seed, to: database)
  return Raw(database).contents
}()

func fuzzScript(_ start: UnsafePointer<UInt8>, _ count: Int) {
  let before = before
  write(seed, to: database)
  write(Array(UnsafeBufferPointer(start: start, count: count)), to: script)
  for suffix in ["-journal", "-wal", "-shm"] { unlink(database + suffix) }
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let runsAlone = text.contains("no-transaction")
  let deadline = ContinuousClock.now + .milliseconds(200)
  let upgrader = Upgrader(
    database: database, migrations: .directory(directory + "/scripts"), target: 2)
  do {
    _ = try upgrader.upgrade(isCancelled: { .now > deadline }, onEvent: { _ in })
  } catch {
    _ = error.description
    _ = error.remedy
    let after = Raw(database)
    demand(after.version == 1, "failed, and changed the version")
    demand(after.contents == before, "failed, and changed the database")
    return
  }
  let after = Raw(database)
  demand(after.version == 2, "succeeded, and did not set the version")
  demand(after.rows("PRAGMA integrity_check") == ["ok"], "succeeded, and is damaged")
  guard !runsAlone, !isWhimsical(text) else { return }
  let contents = after.contents
  write(seed, to: database)
  let alone = Raw(database)
  alone.run("BEGIN")
  guard alone.runEach(text, until: deadline + .milliseconds(400)) else { return }
  alone.run("PRAGMA user_version = 2; COMMIT")
  demand(alone.contents == contents, "something else than what SQLite makes of it")
}

/// True if the script may do something else each time, or depends on the connection.
private func isWhimsical(_ text: String) -> Bool {
  let words = [
    "random", "now", "current_", "changes", "last_insert", "date", "time", "sqlite_", "julian",
    "pragma",
  ]
  let text = text.lowercased()
  return words.contains { text.contains($0) }
}

/// A plain connection of SQLite's.
private final class Raw {
  private var handle: OpaquePointer?

  init(_ path: String) {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    demand(sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, latest)
    for (setting, value) in [
      (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
    ] as [(Int32, Int32)] {
      var now: Int32 = 0
      _ = uplift_sqlite3_configure(handle, setting, value, &now)
    }
  }

  deinit { sqlite3_close_v2(handle) }

  private var latest: String { String(cString: sqlite3_errmsg(handle)) }

  /// The `user_version`; the row begins with the type of its value, which is dropped.
  var version: Int { Int((rows("PRAGMA user_version").first ?? "").dropFirst(2)) ?? -1 }

  var contents: [String] {
    let tables = rows("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2")
      + tables.flatMap { table in
        let name = table.split(separator: "\"", omittingEmptySubsequences: false)
        return rows("SELECT * FROM \"\(name.joined(separator: "\"\""))\"").sorted()
      }
  }

  func run(_ sql: String) {
    demand(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, latest)
  }

  /// Runs each statement, without the script's own transaction; false if it takes too long.
  func runEach(_ text: String, until deadline: ContinuousClock.Instant) -> Bool {
    text.withCString { start in
      var position: UnsafePointer<CChar>? = start
      while let here = position, here.pointee != 0 {
        guard .now < deadline else { return false }
        var statement: OpaquePointer?
        demand(
          sqlite3_prepare_v2(handle, here, -1, &statement, &position) == SQLITE_OK,
          "SQLite does not take it: \(latest)")
        defer { sqlite3_finalize(statement) }
        guard statement != nil, !isTransaction(statement) else { continue }
        while true {
          let code = sqlite3_step(statement)
          if code == SQLITE_DONE { break }
          demand(code == SQLITE_ROW, "SQLite does not run it: \(latest)")
        }
      }
      return true
    }
  }

  /// An authorizer would know exactly; here the names of the operations are enough.
  private func isTransaction(_ statement: OpaquePointer?) -> Bool {
    sqlite3_stmt_isexplain(statement) == 0 && sqlite3_column_count(statement) == 0
      && rows("EXPLAIN " + (sqlite3_sql(statement).map { String(cString: $0) } ?? ""))
        .contains { $0.contains("|AutoCommit|") }
  }

  func rows(_ sql: String) -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      return [String(cString: sqlite3_errmsg(handle))]
    }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      let values = (0..<sqlite3_column_count(statement)).map { column in
        let type = sqlite3_column_type(statement, column)
        let bytes = sqlite3_column_blob(statement, column)
        let count = Int(sqlite3_column_bytes(statement, column))
        let value = UnsafeRawBufferPointer(start: bytes, count: count)
        return "\(type):" + String(decoding: value, as: UTF8.self)
      }
      rows.append(values.joined(separator: "|").replacing("3:", with: ""))
    }
    return rows
  }
}

private func read(_ path: String) -> [UInt8] {
  let file = open(path, O_RDONLY)
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = Glibc.read(file, &bytes, bytes.count)
  return Array(bytes.prefix(max(0, count)))
}

private func write(_ bytes: [UInt8], to path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
  defer { close(file) }
  demand(Glibc.write(file, bytes, bytes.count) == bytes.count, "no room")
}
