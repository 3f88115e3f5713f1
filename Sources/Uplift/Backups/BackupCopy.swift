internal import UpliftSQLite
internal import UpliftSystem

/// The backup that one upgrade makes before its first step.
final class UpgradeBackup {
  private let copy: BackupCopy
  private let keep: Int
  private let onBackup: (Version, String) -> Void
  /// What the database held before the first step.
  private var made: BackupName?
  /// The connection that has read the copy; its `data_version` tells whether another program has
  /// committed since.
  private var reader: Reader?
  private var hasCommitted = false

  private final class Reader {
    let connection: Connection
    let version: Int64

    init(_ connection: consuming Connection) throws(SQLiteError) {
      version = try connection.integer("PRAGMA data_version")
      self.connection = connection
    }

    var isCurrent: Bool {
      get throws(SQLiteError) { try connection.integer("PRAGMA data_version") == version }
    }
  }

  init(
    _ directory: BackupDirectory, keep: Int, of database: DatabaseFile, deadline: Deadline,
    onBackup: @escaping (Version, String) -> Void
  ) {
    copy = BackupCopy(database: database, directory: directory, deadline: deadline)
    self.keep = keep
    self.onBackup = onBackup
  }

  /// The path of the backup; nil if none was made.
  var path: String? { made.map { copy.directory.file($0).shown } }

  /// Copies the database, at this version, while a connection holds the lock to write it.
  ///
  /// Call it at the beginning of each transaction. It does nothing after the first commit of this
  /// upgrade, or if no other program has committed since the backup was made. There is no backup of
  /// an empty database.
  func make(
    of version: Version, underLockOf connection: borrowing Connection
  ) throws(UpgradeError) {
    guard !hasCommitted else { return }
    let source: Reader
    do {
      if try reader?.isCurrent == true { return }
      let hasSchema = try connection.integer("SELECT count(*) FROM sqlite_master") > 0
      if version == .zero, !hasSchema { return }
      // The connection with the lock would wait for itself. A link in the path may lead elsewhere by
      // now.
      source = try Reader(
        Connection(path: connection.path, access: .readWrite, deadline: copy.deadline))
    } catch {
      throw UpgradeError(error, at: copy.database.shown, reached: version)
    }
    let name: BackupName
    do throws(UpgradeError) {
      name = try copy.make(of: version, from: source.connection)
      try copy.directory.pruneVersion(of: name)
    } catch {
      if case .cancelled = error { throw .cancelled(reached: version) }
      throw error
    }
    (made, reader) = (name, source)
    onBackup(version, copy.directory.file(name).shown)
  }

  /// Notes that this upgrade has committed a step.
  func noteCommit() {
    hasCommitted = true
    reader = nil
  }

  /// Closes its connection, because a script needs the database to itself.
  func close() { reader = nil }

  /// Deletes old backups, after the upgrade has succeeded.
  func prune() {
    if let made { copy.directory.prune(keeping: keep, made: made) }
  }
}

/// Copies a database into the directory of backups; the file appears whole or not at all.
struct BackupCopy {
  let database: DatabaseFile
  let directory: BackupDirectory
  let deadline: Deadline

  /// Makes the backup, and returns its name, whose counter is one above the highest there.
  ///
  /// `source` reads the database. Nobody can write it meanwhile, because this process holds the lock.
  func make(
    of version: Version, isReplaced: Bool = false, from source: borrowing Connection
  ) throws(UpgradeError) -> BackupName {
    try directory.make()
    try directory.discardLeftovers()
    let partial = directory.path.appending(directory.names.temporary.next())
    do throws(UpgradeError) {
      try write(source, to: partial)
      let name = try publish(partial, of: version, isReplaced: isReplaced)
      try BackupDirectory.sync(directory.path)
      return name
    } catch {
      System.discard(partial)
      throw error
    }
  }

  /// Writes and syncs the copy, which gets the mode of the database, and its owner if this process
  /// is root.
  private func write(_ source: borrowing Connection, to partial: Path) throws(UpgradeError) {
    guard let original = try database.facts() else {
      throw .moved(path: database.shown, reached: .zero)
    }
    // The user knows the directory, and not this name.
    let file = try UpgradeError.at(directory.path) { () throws(SystemError) in
      let file = try OpenFile.creating(partial)
      if System.isRoot { try file.setOwner(original.owner) }
      try file.setMode(0o600)
      return file
    }
    try source.copy(to: partial, shownAs: directory.path.shown, of: database.shown)
    try UpgradeError.at(directory.path) { () throws(SystemError) in
      try file.sync()
      try file.setMode(original.mode)
    }
  }

  private func publish(
    _ partial: Path, of version: Version, isReplaced: Bool
  ) throws(UpgradeError) -> BackupName {
    var counter = try directory.backups().last?.counter ?? 0
    while true {
      counter += 1
      let name = BackupName(counter: counter, version: version, isReplaced: isReplaced)
      do throws(SystemError) {
        try System.publish(partial, as: directory.file(name))
        return name
      } catch {
        guard error.isTaken else { throw UpgradeError(error, at: directory.path) }
      }
    }
  }
}

extension Connection {
  /// Copies this database, as it is at one moment, to an empty file, which is not synced.
  ///
  /// If the file cannot be written, the error is about `place`, otherwise about `database`.
  borrowing func copy(
    to file: Path, shownAs place: String, of database: String
  ) throws(UpgradeError) {
    do {
      let copy = try Connection(path: file.bytes, access: .readWrite, deadline: deadline)
      // A copy that is not whole is removed, so it needs no journal.
      for pragma in ["journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"] {
        try copy.run("PRAGMA \(pragma)")
      }
      _ = try copyAll(into: copy)
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: nil) }
      let isOfCopy = [.full, .writing].contains(error.code)
      throw UpgradeError(error, at: isOfCopy ? place : database, reached: nil)
    }
  }
}
