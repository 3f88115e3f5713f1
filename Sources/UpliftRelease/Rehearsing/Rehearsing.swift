internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// One rehearsal: a copy of the database, the pending steps on it, and the report.
struct Rehearsing {
  let upgrader: Upgrader
  /// Where the copy is made; nil for the directory of temporary files.
  let directory: String?
  let isCancelled: () -> Bool
  let onEvent: (Upgrader.Event) -> Void

  func run() throws(UpgradeError) -> Rehearsal {
    let status = try upgrader.status(patience: upgrader.options.patience, isCancelled)
    if let refusal = status.refusal { throw refusal }
    guard let start = status.version else { throw .missingDatabase(upgrader.database) }
    guard !status.isCurrent else {
      return Rehearsal(
        start: start, target: status.target, copy: nil, steps: [], tables: [], gone: [], room: [],
        failure: nil)
    }
    let scratch = try ScratchDirectory(in: directory)
    let database = Path(upgrader.database)
    let path = scratch(String(decoding: database.name, as: UTF8.self))
    let room = try RoomMeter(
      database: database, copy: path,
      in: directory.map { Path($0) } ?? System.temporaryDirectory)
    do throws(UpgradeError) {
      let copy = try upgrader.copyDatabase(
        to: path, isCancelled: { isCancelled() || room.isShort() }, onEvent: onEvent)
      let before = try contents(path)
      let (steps, failure) = try runSteps(on: path, room)
      let after = try contents(path)
      return Rehearsal(
        start: start, target: status.target,
        copy: Rehearsal.Copy(size: copy.size, duration: copy.duration), steps: steps,
        tables: before.tables(after), gone: before.objects.subtracting(after.objects).sorted(),
        room: room.report, failure: failure)
    } catch {
      throw isCancelled()
        ? UpgradeError.stopped.onCopy(of: upgrader.database) : room.error ?? error
    }
  }

  /// Runs the steps on the copy, each with a commit of its own.
  ///
  /// It returns the error of a step. It throws any other error.
  private func runSteps(
    on path: Path, _ room: RoomMeter
  ) throws(UpgradeError) -> ([Rehearsal.Step], UpgradeError?) {
    var options = upgrader.options.onScratch(ifMissing: upgrader.options.ifMissing)
    options.commitInterval = .zero
    let copy = Upgrader(
      database: path.shown, seed: upgrader.seed, migrations: upgrader.migrations,
      target: upgrader.target, options: options, prepare: upgrader.prepare)
    var steps = MeasuredSteps(of: path)
    room.begin()
    do throws(UpgradeError) {
      _ = try copy.upgrade(isCancelled: { isCancelled() || room.isShort() }) { event in
        room.measure()
        steps.note(event)
        onEvent(event)
      }
      return (steps.committed, nil)
    } catch {
      guard [.failed, .scripts].contains(error.kind) else {
        throw error.onCopy(of: upgrader.database)
      }
      return (steps.committed, error)
    }
  }

  private func contents(_ path: Path) throws(UpgradeError) -> DatabaseContents {
    try SeedConnection.withCopy(
      path, prepare: upgrader.prepare, isCancelled: isCancelled
    ) { connection throws(SQLiteError) in try DatabaseContents(connection) }
  }
}

/// The objects of a database, and the number of rows in each ordinary table.
private struct DatabaseContents {
  private var rows: [Name: Int64] = [:]
  /// The objects, as `index guests_by_name`.
  let objects: Set<String>

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    objects = Set(try DatabaseSchema(connection).objects.keys.map(\.shown))
    for table in try connection.tables() {
      rows[table] = try connection.integer("SELECT count(*) FROM main.\(table)" as SQL)
    }
  }

  /// All tables of both, sorted by name.
  func tables(_ after: DatabaseContents) -> [Rehearsal.Table] {
    Set(rows.keys).union(after.rows.keys).sorted().map { name in
      Rehearsal.Table(name: name.shown, rowsBefore: rows[name], rowsAfter: after.rows[name])
    }
  }
}

/// The time of each step, and the size of the database before and after it, by the events of the
/// upgrade.
private struct MeasuredSteps {
  private let path: Path
  private var size: Int64
  private var steps: [Rehearsal.Step] = []
  private var start = ContinuousClock.now
  private var lastCommitted = Version.zero

  init(of path: Path) {
    self.path = path
    size = Self.size(of: path) ?? 0
  }

  /// The steps without the one that failed.
  var committed: [Rehearsal.Step] { steps.filter { $0.version <= lastCommitted } }

  mutating func note(_ event: Upgrader.Event) {
    switch event {
    case .started(let step):
      start = .now
      steps.append(
        Rehearsal.Step(
          version: step.version, name: step.name, duration: .zero, sizeBefore: size,
          sizeAfter: size))
    case .progress(let progress):
      if let last = steps.indices.last { steps[last].passes = progress.passes }
    case .finished: endStep()
    case .committed(let committed):
      lastCommitted = committed
      size = Self.size(of: path) ?? size
      endStep()
    default: break
    }
  }

  private mutating func endStep() {
    guard let last = steps.indices.last else { return }
    steps[last].duration = ContinuousClock.now - start
    steps[last].sizeAfter = size
  }

  /// SQLite knows the size; the file may lack pages that are still in the log.
  private static func size(of path: Path) -> Int64? {
    do {
      return try SeedConnection.withCopy(path, isCancelled: { false }) {
        connection throws(SQLiteError) in
        let pages = try connection.integer("PRAGMA main.page_count")
        return try connection.integer("PRAGMA main.page_size") * pages
      }
    } catch {
      return nil
    }
  }
}
