internal import UpliftSQLite
internal import UpliftSystem

/// Puts the content of a backup into the database.
///
/// The backup is written into the database under SQLite's own locks, so that a program that has it open
/// sees the content of before or of after. What the database held before is copied first.
struct Restoration {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline
  private let isCancelled: () -> Bool

  init(
    _ upgrader: Upgrader, from directory: String, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.directory = try BackupDirectory(directory, of: file.path)
    self.isCancelled = isCancelled
    deadline = Deadline(
      patience: upgrader.options.patience, isCancelled: isCancelled, onWait: { _ in }, onPulse: {})
  }

  func run(to wanted: Version?) throws(UpgradeError) -> Restore {
    let target = upgrader.knownTarget()
    let version = try choose(wanted, target: target)
    let backup = directory.file(at: version)
    try directory.refuseDatabase(at: backup)
    let header = try check(backup, holds: version)
    let state = try Inspection(upgrader).state()
    guard let state, !state.isEmpty else {
      try make(from: backup, version)
      return Restore(version: version, backup: backup.shown, replaced: nil)
    }
    if state.version == .zero, state.applicationID == 0, header.applicationID != 0 {
      throw .unversioned(path: file.shown, seed: header.version)
    }
    guard state.applicationID == header.applicationID else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: state.applicationID)
    }
    let replaced = try replace(by: backup, header)
    return Restore(version: version, backup: backup.shown, replaced: replaced.shown)
  }

  /// The version that is wanted, or the newest that the program can use.
  private func choose(_ wanted: Version?, target: Version?) throws(UpgradeError) -> Version {
    let versions = try directory.versions()
    if let wanted, let target, wanted > target {
      throw .backup(directory.file(at: wanted), .aboveTarget(target))
    }
    let chosen = versions.last { version in
      if let wanted { return version == wanted }
      return target.map { version <= $0 } ?? true
    }
    guard let chosen else {
      throw .backup(wanted.map { directory.file(at: $0) } ?? directory.path, .notThere)
    }
    return target.map { chosen.written(like: $0) } ?? chosen
  }

  /// Checks that the backup is a whole database of this version.
  private func check(
    _ backup: Path, holds version: Version
  ) throws(UpgradeError) -> DatabaseHeader {
    let header: DatabaseHeader
    do {
      header = try SeedFile.header(of: .file(backup.shown))
    } catch {
      guard case .seed(let seed) = error else { throw error }
      throw .backup(backup, .damaged(words: seed.problem.words))
    }
    guard header.version == version else {
      throw .backup(backup, .otherVersion(header.version))
    }
    let connection = try open(backup)
    try connection.prepare(by: upgrader.prepare, at: backup.shown)
    let words: String?
    do {
      words = try connection.text("PRAGMA quick_check(1)")
    } catch {
      if deadline.isCancelled { throw .cancelled(reached: nil) }
      // A collation is missing, for example; the file is not at fault.
      if error.code.primary == .error {
        throw .preparation(error.message, reached: nil)
      }
      throw .backup(backup, .damaged(words: error.message))
    }
    guard words == "ok" else { throw .backup(backup, .damaged(words: words ?? "no answer")) }
    return header
  }

  private func open(_ backup: Path) throws(UpgradeError) -> Connection {
    do {
      return try Seed.file(backup.shown).open(deadline: deadline)
    } catch {
      throw .backup(backup, .damaged(words: error.message))
    }
  }

  /// Makes a database that is not there, or fills an empty one: the backup is its seed.
  private func make(from backup: Path, _ version: Version) throws(UpgradeError) {
    let boot = Upgrader(
      database: upgrader.database, seed: .file(backup.shown), target: version,
      options: upgrader.options, prepare: upgrader.prepare)
    try boot.upgrade(isCancelled: isCancelled)
  }

  /// Writes the backup into the database, after what the database holds is in a file of its own.
  ///
  /// Returns the path of that file. It stays, unless SQLite has not begun to write: it may be the only
  /// copy.
  private func replace(
    by backup: Path, _ header: DatabaseHeader
  ) throws(UpgradeError) -> Path {
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    guard !database.connection.isReadOnly else { throw .readOnly(path: file.shown) }
    let usesLog = try at { () throws(SQLiteError) in
      try database.connection.pinSettings(doubleQuotedStrings: false)
      return try database.connection.text("PRAGMA journal_mode") == "wal"
    }
    var attempt = 0
    while true {
      // From this reading on, SQLite notices whether another process writes.
      let pageSize = try at { () throws(SQLiteError) in
        _ = try database.connection.integer("SELECT count(*) FROM sqlite_master")
        return try database.connection.integer("PRAGMA page_size")
      }
      guard !usesLog || pageSize == Int64(header.pageSize) else {
        throw .backup(backup, .otherPageSize)
      }
      let replaced = try BackupCopy(
        database: file.path, directory: directory, isLocked: false, deadline: deadline
      ).makeReplaced { copy throws(UpgradeError) in
        try SeedFile.header(of: SeedFile.open(copy), copy).version
      }
      let isDone: Bool
      do {
        isDone = try Seed.file(backup.shown).open(deadline: deadline)
          .copyAll(into: database.connection) { true }
      } catch {
        let unwritten: [ResultCode] = [.busy, .locked, .interrupted, .readOnly, .cannotOpen]
        if unwritten.contains(error.code.primary) { System.discard(replaced) }
        throw translated(error)
      }
      if isDone { return replaced }
      // Another process has written after the copy was made, so it is made again.
      System.discard(replaced)
      guard deadline.pause(attempt: attempt) else { throw .busy(path: file.shown, reached: nil) }
      attempt += 1
    }
  }

  private func at<Result>(
    _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw translated(error)
    }
  }

  private func translated(_ error: SQLiteError) -> UpgradeError {
    deadline.isCancelled
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}
