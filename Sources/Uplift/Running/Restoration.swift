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
    let header = try check(backup, holds: version)
    let state = try Inspection(upgrader).state()
    guard let state, !state.isEmpty else {
      try make(from: backup, version)
      return Restore(version: version, backup: backup.shown, replaced: nil)
    }
    guard state.applicationID == header.applicationID else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: state.applicationID)
    }
    let replaced = try directory.file(replacedAt: state.version)
    do {
      try replace(by: backup, header, keeping: replaced)
    } catch {
      // The database is as it was, so nobody needs the copy.
      System.discard(replaced)
      throw error
    }
    return Restore(version: version, backup: backup.shown, replaced: replaced.shown)
  }

  /// The version that is wanted, or the newest that the program can use.
  private func choose(_ wanted: Version?, target: Version?) throws(UpgradeError) -> Version {
    let versions = try directory.versions()
    if let wanted, let target, wanted.number > target.number {
      throw .backup(directory.file(at: wanted), .aboveTarget(target))
    }
    let chosen = versions.last { version in
      if let wanted { return version.number == wanted.number }
      return target.map { version.number <= $0.number } ?? true
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
    guard header.version.number == version.number else {
      throw .backup(backup, .otherVersion(header.version))
    }
    let words: String?
    do {
      let connection = try Seed.file(backup.shown).open(deadline: deadline)
      words = try connection.text("PRAGMA quick_check(1)")
    } catch {
      if deadline.isCancelled { throw .cancelled(reached: nil) }
      throw .backup(backup, .damaged(words: error.message))
    }
    guard words == "ok" else { throw .backup(backup, .damaged(words: words ?? "no answer")) }
    return header
  }

  /// Makes a database that is not there, or fills an empty one: the backup is its seed.
  private func make(from backup: Path, _ version: Version) throws(UpgradeError) {
    let boot = Upgrader(
      database: upgrader.database, seed: .file(backup.shown), target: version,
      options: upgrader.options)
    try boot.upgrade(isCancelled: isCancelled)
  }

  private func replace(
    by backup: Path, _ header: DatabaseHeader, keeping replaced: Path
  ) throws(UpgradeError) {
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
      try BackupCopy(database: file.path, directory: directory, deadline: deadline)
        .make(as: replaced)
      let isDone = try at { () throws(SQLiteError) in
        try Seed.file(backup.shown).open(deadline: deadline)
          .copyAll(into: database.connection) { true }
      }
      if isDone { break }
      // Another process has written after the copy was made, so it is made again.
      guard deadline.pause(attempt: attempt) else { throw .busy(path: file.shown, reached: nil) }
      attempt += 1
    }
    let number = try at { () throws(SQLiteError) in
      try database.connection.integer("PRAGMA user_version")
    }
    guard number == Int64(header.version.number) else {
      throw .invalid(version: Int32(truncatingIfNeeded: number))
    }
  }

  private func at<Result>(
    _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw deadline.isCancelled
        ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
    }
  }
}
