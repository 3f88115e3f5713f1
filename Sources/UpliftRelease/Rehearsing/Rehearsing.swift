internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// One rehearsal: a copy of the database, the pending steps on it, and the report.
struct Rehearsing {
  private let upgrader: Upgrader
  private let options: Upgrader.RehearseOptions
  private let isCancelled: () -> Bool
  private let onEvent: (Upgrader.Event) -> Void

  init(
    _ upgrader: Upgrader, _ options: Upgrader.RehearseOptions, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) {
    self.upgrader = upgrader
    self.options = options
    self.isCancelled = isCancelled
    self.onEvent = onEvent
  }

  func run() throws(ReleaseError) -> Rehearsal {
    let status: Status
    do {
      status = try upgrader.status(isCancelled: isCancelled)
    } catch {
      if case .cancelled = error { throw onCopy(error) }
      throw .upgrade(error)
    }
    if let refusal = status.refusal { throw .upgrade(refusal) }
    guard let start = status.version else {
      throw .upgrade(.missing(.database, path: upgrader.database))
    }
    let kept = try keptPath()
    guard !status.isCurrent else {
      return Rehearsal(
        start: start, target: status.target, copy: nil, steps: [], tables: [], gone: [], room: [],
        keptCopy: nil, failure: nil)
    }
    // Read now, before the copy takes some of the room.
    let free = try freeBytes()
    let directory = options.directory.map { Path($0) } ?? System.temporaryDirectory
    let spare = SpareRoom(forCopyIn: directory)
    try spare.check(copyOf: try bytesOfDatabase())
    let scratch = try ScratchDirectory(in: options.directory)
    let path = scratch(String(decoding: Path(upgrader.database).name, as: UTF8.self))
    let copy = try copy(to: path, spare)
    let before = try contents(path)
    let (meter, failure) = try runSteps(on: path, spare)
    let after = try contents(path)
    let room = try room(meter, free)
    if let kept { try keep(path, as: kept) }
    return Rehearsal(
      start: start, target: status.target,
      copy: Rehearsal.Copy(
        size: copy.size, duration: copy.duration, blocksWriters: copy.blocksWriters),
      steps: meter.steps.map(\.step), tables: before.tables(after),
      gone: before.objects(goneIn: after), room: room, keptCopy: kept?.shown, failure: failure)
  }

  private func copy(to path: Path, _ spare: SpareRoom) throws(ReleaseError) -> LiveCopy {
    do {
      // In WAL mode the service's log grows during the copy, because SQLite cannot reuse the log.
      // So the reserve is checked here, too.
      return try upgrader.copyDatabase(
        to: path, isCancelled: { isCancelled() || !spare.checkReserve() }, onEvent: onEvent)
    } catch {
      if case .cancelled = error { throw spare.error ?? onCopy(error) }
      throw .upgrade(error)
    }
  }

  /// Runs the steps on the copy, each with a commit of its own.
  ///
  /// It returns the error of a step. It throws any other error. It stops before it takes the room
  /// that is to stay free.
  private func runSteps(
    on path: Path, _ spare: SpareRoom
  ) throws(ReleaseError) -> (StepMeter, UpgradeError?) {
    var options = upgrader.options.onScratch(ifMissing: upgrader.options.ifMissing)
    options.commitInterval = .zero
    let copy = Upgrader(
      database: path.shown, seed: upgrader.seed, migrations: upgrader.migrations,
      target: upgrader.target, options: options, prepare: upgrader.prepare)
    let diskUse: DiskUse
    do {
      diskUse = try DiskUse(hasRoom: { spare.checkReserve() })
    } catch {
      throw ReleaseError(error, at: path.shown)
    }
    let meter = StepMeter(diskUse)
    do throws(UpgradeError) {
      _ = try copy.upgrade(counting: diskUse, isCancelled: isCancelled) { event in
        meter.note(event)
        onEvent(event)
      }
      return (meter, nil)
    } catch {
      if let error = spare.error { throw error }
      switch error {
      case .failed, .scriptText: return (meter, error)
      default: throw onCopy(error)
      }
    }
  }

  private func onCopy(_ error: UpgradeError) -> ReleaseError {
    .rehearsal(error, of: upgrader.database)
  }

  private func contents(_ path: Path) throws(ReleaseError) -> DatabaseContents {
    let connection = try open(path)
    do {
      try connection.prepare(by: upgrader.prepare, at: path.shown)
    } catch {
      throw .upgrade(error)
    }
    do {
      return try DatabaseContents(connection)
    } catch {
      throw isCancelled()
        ? onCopy(.cancelled(reached: nil)) : ReleaseError(error, at: path.shown)
    }
  }

  private func open(_ path: Path) throws(ReleaseError) -> Connection {
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    do {
      return try Connection(path: path.bytes, access: .readWrite, deadline: deadline)
    } catch {
      throw ReleaseError(error, at: path.shown)
    }
  }

  /// The room that an upgrade needs beside the database, and among the temporary files.
  private func room(
    _ meter: StepMeter, _ free: [Path: Int64]
  ) throws(ReleaseError) -> [Rehearsal.Room] {
    let data = try directory(of: Path(upgrader.database))
    let temporary = System.temporaryDirectory
    let interval = upgrader.options.commitInterval
    let isSame = try device(of: data) == device(of: temporary)
    let needed = meter.needed(sharing: interval)
    if isSame || needed.temporary == 0 {
      return [room(data, isSame ? needed.all : needed.lasting, free)]
    }
    return [room(data, needed.lasting, free), room(temporary, needed.temporary, free)]
  }

  private func room(
    _ directory: Path, _ needed: Int64, _ free: [Path: Int64]
  ) -> Rehearsal.Room {
    Rehearsal.Room(directory: directory.shown, needed: needed, free: free[directory])
  }

  /// The room that is free in the directory of the database, and in that of temporary files.
  private func freeBytes() throws(ReleaseError) -> [Path: Int64] {
    var free: [Path: Int64] = [:]
    for path in [try directory(of: Path(upgrader.database)), System.temporaryDirectory] {
      free[path] = System.freeBytes(at: path)
    }
    return free
  }

  /// The most bytes that a copy of the database can have: those of the file and of its log.
  private func bytesOfDatabase() throws(ReleaseError) -> Int64 {
    let path = Path(upgrader.database)
    return try ReleaseError.at(path) { () throws(SystemError) in
      let file = try System.isLink(path) ? System.resolve(path) : path
      let size = try System.facts(of: file, followingLinks: true)?.size ?? 0
      return size + (try System.facts(of: file + "-wal", followingLinks: true)?.size ?? 0)
    }
  }

  /// The directory that a database lies in, after a link is followed.
  private func directory(of path: Path) throws(ReleaseError) -> Path {
    try ReleaseError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path).parent : path.parent
    }
  }

  private func device(of directory: Path) throws(ReleaseError) -> UInt64? {
    try ReleaseError.at(directory) { () throws(SystemError) in
      try System.facts(of: directory, followingLinks: true)?.identity.device
    }
  }
}

/// The copy that is kept.
extension Rehearsing {
  /// The path for the copy: `guestbook-rehearsed.db` in the directory; nil if it is not kept.
  private func keptPath() throws(ReleaseError) -> Path? {
    guard options.keepsCopy, let directory = options.directory else { return nil }
    try translatingUpgradeError { () throws(UpgradeError) in
      try upgrader.refuseResources(directory)
    }
    let name = VersionedName(of: Path(upgrader.database)).name(suffix: "-rehearsed")
    let path = Path(directory).appending(name)
    try NewFile.refuseTaken(path)
    return path
  }

  /// Gives the copy its name.
  ///
  /// It has no log: `contents` has read it after the last step, and a connection that closes writes
  /// the log into the database.
  private func keep(_ path: Path, as kept: Path) throws(ReleaseError) {
    try NewFile.publish(path, as: kept, isSynced: false)
  }
}
