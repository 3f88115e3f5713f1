internal import UpliftSQLite
internal import UpliftSystem

/// The backup that one upgrade makes before its first step.
final class UpgradeBackup {
  private let directory: BackupDirectory
  private let keep: Int
  private let database: DatabaseFile
  private let deadline: Deadline
  private let onBackup: (Version, String) -> Void
  /// What the database held before the first step.
  private var made: BackupName?
  /// The connection that has read the copy.
  private var reader: Connection?
  /// SQLite's `data_version` in `reader`, which another program's commit changes.
  private var dataVersion: Int64 = 0
  private var hasCommitted = false

  init(
    _ directory: BackupDirectory, keep: Int, of database: DatabaseFile, deadline: Deadline,
    onBackup: @escaping (Version, String) -> Void
  ) {
    self.directory = directory
    self.keep = keep
    self.database = database
    self.deadline = deadline
    self.onBackup = onBackup
  }

  /// The path of the backup; nil if none was made.
  var path: String? { made.map { directory.file($0).shown } }

  /// Copies the database while a connection holds the lock to write it.
  ///
  /// Each transaction calls it. It does nothing after the first commit of this upgrade, if no other
  /// program has committed since the backup was made, or if the database is empty.
  func make(
    of version: Version, underLockOf connection: borrowing Connection
  ) throws(UpgradeError) {
    guard !hasCommitted, let source = try newReader(version, connection) else { return }
    let name: BackupName
    do throws(UpgradeError) {
      name = try directory.add(database, at: version, from: source)
      try directory.pruneVersion(of: name)
    } catch {
      throw error.kind == .cancelled ? .cancelled(reached: version) : error
    }
    made = name
    reader = consume source
    onBackup(version, directory.file(name).shown)
  }

  /// A connection that reads what is to be copied; nil if nothing is.
  private func newReader(
    _ version: Version, _ connection: borrowing Connection
  ) throws(UpgradeError) -> Connection? {
    do {
      if try reader?.integer("PRAGMA data_version") == dataVersion { return nil }
      reader = nil
      let hasSchema = try connection.integer("SELECT count(*) FROM sqlite_master") > 0
      if version == .zero, !hasSchema { return nil }
      // The connection with the lock would wait for itself. Its path has no links, which could lead
      // elsewhere by now.
      let source = try Connection(path: connection.path, access: .readWrite, deadline: deadline)
      dataVersion = try source.integer("PRAGMA data_version")
      return source
    } catch {
      throw UpgradeError(error, at: database.shown, reached: version)
    }
  }

  /// Called after a step was committed.
  func noteCommit() {
    hasCommitted = true
    reader = nil
  }

  /// Closes its connection, because a script needs the database to itself.
  func close() { reader = nil }

  /// Deletes old backups, after the upgrade has succeeded.
  func prune() {
    if let made { directory.prune(keeping: keep, made: made) }
  }
}

extension BackupDirectory {
  /// Copies a database, which `source` reads and nobody writes, into a new backup, which appears
  /// whole or not at all.
  func add(
    _ database: DatabaseFile, at version: Version, isReplaced: Bool = false,
    from source: borrowing Connection
  ) throws(UpgradeError) -> BackupName {
    try make()
    // What killed processes have left: nobody else writes such a file under the lock.
    for name in try listing() where names.temporary.matches(name) {
      System.discard(path.appending(name))
    }
    let partial = path.appending(names.temporary.next())
    do throws(UpgradeError) {
      try write(source, of: database, at: version, to: partial)
      let name = try publish(partial, at: version, isReplaced: isReplaced)
      try path.syncDirectory()
      return name
    } catch {
      System.discard(partial)
      throw error
    }
  }

  /// Writes and syncs the copy, which gets the mode of the database; root also gives it its owner.
  private func write(
    _ source: borrowing Connection, of database: DatabaseFile, at version: Version,
    to partial: Path
  ) throws(UpgradeError) {
    guard let original = try database.facts() else {
      throw .moved(database.shown, openAt: version)
    }
    // The user knows the directory, and not the name of the copy.
    let file = try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.creating(partial)
      if System.isRoot { try file.setOwner(original.owner) }
      try file.setMode(0o600)
      return file
    }
    try source.copy(to: partial, shownAs: path.shown, of: database.shown)
    try UpgradeError.at(path) { () throws(SystemError) in
      try file.sync()
      try file.setMode(original.mode)
    }
  }

  /// Gives the copy a name, whose counter is one above the highest there.
  private func publish(
    _ partial: Path, at version: Version, isReplaced: Bool
  ) throws(UpgradeError) -> BackupName {
    var counter = try backups().last?.counter ?? 0
    while true {
      counter += 1
      let name = BackupName(counter: counter, version: version, isReplaced: isReplaced)
      do throws(SystemError) {
        try System.publish(partial, as: file(name))
        return name
      } catch {
        guard error.isTaken else { throw UpgradeError(error, at: path) }
      }
    }
  }
}

extension Connection {
  /// Copies this database, as it is at one moment, to an empty file, which is not synced; an error
  /// of writing is about `place`, another one about `database`.
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
      if deadline.mustStopNow { throw .cancelled() }
      let isOfCopy = [.full, .writing].contains(error.code)
      throw UpgradeError(error, at: isOfCopy ? place : database)
    }
  }
}
