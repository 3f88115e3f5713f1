import CUpliftSQLite
import Foundation
import Synchronization
import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// A script changes the journal mode while other connections have the database open.
struct LeavingLogModeTests {
  /// Counts how often each connection runs a change of the journal mode.
  private final class Counter: Sendable {
    private final class Count: Sendable {
      let value = Atomic(0)
    }

    private let counts = Mutex<[Count]>([])

    var all: [Int] { counts.withLock { $0.map { $0.value.load(ordering: .relaxed) } } }

    func watch(_ handle: OpaquePointer) {
      let count = Count()
      counts.withLock { $0.append(count) }
      sqlite3_trace_v2(
        handle, UInt32(SQLITE_TRACE_STMT),
        { _, context, statement, _ in
          guard let context, let sql = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
          if String(cString: sql).contains("journal_mode =") {
            Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().value
              .add(1, ordering: .relaxed)
          }
          return 0
        }, Unmanaged.passUnretained(count).toOpaque())
    }
  }

  /// What the script does before it is refused takes longer than the patience, so it is not tried
  /// again.
  @Test(.tags(.promise6)) func `tells the version that the scripts before it have reached`()
    throws
  {
    let trial = try Trial(
      scripts: [
        "INSERT INTO t VALUES(1);",
        "-- uplift: no-transaction\nVACUUM; PRAGMA journal_mode = DELETE;",
      ],
      start: """
        PRAGMA journal_mode = WAL; CREATE TABLE t(a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 4000)
          INSERT INTO t SELECT randomblob(4000) FROM n;
        """)
    let deadline = Deadline(patience: .seconds(10), isCancelled: { false })
    let reader = try Connection(path: trial.database, access: .readWrite, deadline: deadline)
    _ = try reader.text("SELECT count(*) FROM t")

    let error = trial.error { $0.patience = .milliseconds(5) }

    #expect(error?.kind == .busy && error?.reached == 1)
    _ = reader
  }

  /// After the first refusal, the connection may believe that it has left WAL mode, and would
  /// overwrite what others commit.
  @Test(.tags(.P3, .promise2)) func `is not tried twice on one connection`() throws {
    let trial = try Trial(
      scripts: [
        "-- uplift: no-transaction\nPRAGMA journal_mode = DELETE;"
      ], start: "PRAGMA journal_mode = WAL; CREATE TABLE t(a);")
    let deadline = Deadline(patience: .seconds(10), isCancelled: { false })
    var reader: Connection? = try Connection(
      path: trial.database, access: .readWrite, deadline: deadline)
    _ = try reader?.text("SELECT count(*) FROM t")
    let counter = Counter()
    let plain = trial.upgrader()
    let upgrader = Upgrader(
      database: trial.database, migrations: plain.migrations, target: 1,
      prepare: { counter.watch($0) })

    try upgrader.upgrade { event in
      if case .waiting = event, counter.all.count(where: { $0 > 0 }) > 1 { reader = nil }
    }

    let counts = counter.all.filter { $0 > 0 }
    #expect(counts.count > 2)
    #expect(counts.allSatisfy { $0 == 1 })
    #expect(try trial.ask("PRAGMA journal_mode") == "delete")
  }
}
