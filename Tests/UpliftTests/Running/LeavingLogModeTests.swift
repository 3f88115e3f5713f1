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

  /// After the first refusal, the connection may believe that it has left WAL mode, and would
  /// overwrite what others commit.
  @Test(.tags(.P3, .promise2)) func `is not tried twice on one connection`() throws {
    let trial = try Trial(
      scripts: [
        "-- uplift: no-transaction\nSELECT 1; PRAGMA journal_mode = DELETE; CREATE TABLE u(a);"
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
    #expect(try trial.ask("SELECT count(*) FROM u") == "0")
  }

  /// Scripts 2 and 4 begin again, because a reader has the database open.
  ///
  /// In between, script 3 takes longer than the upgrade may wait.
  @Test(.tags(.P3)) func `may wait again after a long script`() throws {
    let alone = "-- uplift: no-transaction\n"
    let site = try Site(scripts: [
      "2.sql": alone + "PRAGMA journal_mode = DELETE;",
      "3.sql": alone + "PRAGMA journal_mode = WAL;",
      "4.sql": alone + "PRAGMA journal_mode = DELETE;",
    ])
    try site.place(Site.seed + "PRAGMA journal_mode = WAL;")
    var options = Upgrader.Options()
    options.patience = .seconds(2)
    var reader: Connection? = try self.reader(of: site)
    var waited: [Version] = []
    var latest = Version(1)

    let upgrade = try site.upgrader(target: 4, options: options).upgrade { event in
      switch event {
      case .started(let script):
        latest = script.version
        if latest == 3 { usleep(2_100_000) }
        if latest == 4, !waited.contains(4) {
          #expect(throws: Never.self) { reader = try self.reader(of: site) }
        }
      case .waiting where reader != nil:
        waited.append(latest)
        reader = nil
      default: break
      }
    }

    #expect(upgrade.end == 4)
    #expect(waited == [2, 4])
    #expect(try Shell.run(site.database, "PRAGMA journal_mode") == "delete")
  }

  private func reader(of site: Site) throws -> Connection {
    let deadline = Deadline(patience: .seconds(10), isCancelled: { false })
    let reader = try Connection(path: site.database, access: .readWrite, deadline: deadline)
    _ = try reader.text("SELECT count(*) FROM item")
    return reader
  }
}
