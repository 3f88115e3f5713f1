internal import UpliftSQLite
internal import UpliftSystem

/// Writes a backup into a database that is there.
///
/// The backup is written under SQLite's own locks, so a program that has the database open sees
/// either the old content or the new one, never a mixture. The old content is copied first, under
/// the same lock, so nobody can write between the copy and the replacement.
struct ContentReplacement {
  let file: DatabaseFile
  let directory: BackupDirectory
  let deadline: Deadline
  let isCancelled: () -> Bool

  /// Copies the old content to a file of its own, and then writes the backup into the database.
  ///
  /// Returns the path of that file; nil if it must be tried again, because another program has
  /// changed the backup, or has switched the write-ahead log on or off. If the restore fails, the file is removed only if the
  /// database surely has the same content. Otherwise it may be the only copy.
  func replace(by backup: UsableBackup) throws(UpgradeError) -> Path? {
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    var (pageSize, size): (Int64, Int64) = (0, 0)
    let usesLog = try at { () throws(SQLiteError) in
      try database.connection.pinSettings(doubleQuotedStrings: false)
      pageSize = try database.connection.integer("PRAGMA page_size")
      size = try database.connection.integer("PRAGMA page_count") * pageSize
      return try database.connection.text("PRAGMA journal_mode") == "wal"
    }
    guard !usesLog || pageSize == Int64(backup.header.pageSize) else {
      throw .backup(backup.path, .otherPageSize)
    }
    try refuseUncountedPages(of: database.connection, size)
    try checkRoom(for: backup.path, size, usesLog: usesLog)
    let source = try backup.open(deadline)
    var saved: Path?
    var failure: UpgradeError?
    var mayBeCommitted = false
    do {
      let isDone = try source.copyAll(
        into: database.connection,
        onLocked: { _ in
          guard database.connection.usesLogByHeader == usesLog else { return false }
          do throws(UpgradeError) {
            saved = try save(database.connection, usesLog: usesLog)
          } catch {
            failure = error
          }
          return failure == nil
        },
        isUnchanged: {
          guard backup.isUnchanged, !database.connection.hasMoved else { return false }
          // The next step writes the last page and commits.
          mayBeCommitted = true
          return true
        })
      if isDone {
        database.connection.mayMoveLog()
        return saved
      }
    } catch {
      guard let saved else { throw translated(error) }
      guard holds(saved, usesLog: usesLog, mayBeCommitted: mayBeCommitted) else {
        throw unclear(error, oldContent: saved)
      }
      System.discard(saved)
      throw translated(error)
    }
    if let failure { throw failure }
    guard let saved else { return nil }
    if database.connection.hasMoved { throw moved(oldContent: saved) }
    guard holds(saved, usesLog: usesLog, mayBeCommitted: false) else {
      let words = "the backup was changed while it was read"
      throw unclear(SQLiteError(code: .error, message: words), oldContent: saved)
    }
    System.discard(saved)
    return nil
  }

  /// Refuses a damaged database that has fewer pages than its file, because the copy of the old
  /// content would lack the others.
  ///
  /// If an old first page came back, it counts too few. A sound database may be in a longer file
  /// (SQLITE_FCNTL_CHUNK_SIZE).
  private func refuseUncountedPages(
    of connection: borrowing Connection, _ size: Int64
  ) throws(UpgradeError) {
    guard let facts = try file.facts(), facts.size > size else { return }
    let words = try at { () throws(SQLiteError) in try UsableBackup.damage(in: connection) }
    if let words { throw .damaged(path: file.shown, .malformed(words: words)) }
  }

  /// Copies what the database holds, while `connection` holds the lock to write.
  private func save(
    _ connection: borrowing Connection, usesLog: Bool
  ) throws(UpgradeError) -> Path {
    let fileSize = try file.facts()?.size ?? 0
    return try BackupCopy(database: file.path, directory: directory, deadline: deadline)
      .makeReplaced { partial throws(UpgradeError) in
        if usesLog {
          try PageCopy.makeUnderLock(of: file.path, to: partial, deadline: deadline)
        } else {
          // No other connection can read the database now.
          try PageCopy.makeOfFile(fileSize, of: connection, file.shown, to: partial)
        }
      } version: { partial throws(UpgradeError) in
        try SeedFile.header(of: SeedFile.open(partial), partial).version
      }
  }

  /// Refuses to begin if the disks are too full: the service may need the room.
  ///
  /// The copy needs as much room as the database, whose size this is. The write needs room for the
  /// journal or the log, and for the pages by which the backup is larger. Before the copy, the pages
  /// of the old log are written into the file.
  private func checkRoom(
    for backup: Path, _ size: Int64, usesLog: Bool
  ) throws(UpgradeError) {
    let newSize = try facts(backup)?.size ?? 0
    let fileSize = try file.facts()?.size ?? 0
    let write = (usesLog ? newSize : size + max(0, newSize - size)) + max(0, size - fileSize)
    // The directory of backups is there, because the backup is in it.
    var needs = [(directory.path, size), (file.path.parent, write)]
    if try facts(needs[0].0)?.identity.device == facts(needs[1].0)?.identity.device {
      needs = [(file.path.parent, size + write)]
    }
    for (path, needed) in needs {
      guard let free = System.freeBytes(at: path), free < needed else { continue }
      throw .disk(
        path: path.shown, words: "a restore needs \(needed) bytes, and \(free) are free",
        failure: nil)
    }
  }

  private func facts(_ path: Path) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }

  /// True if the database has the content of the copy, byte for byte; false if that is not sure.
  ///
  /// If the disk fails at the commit, the whole commit may be in the log all the same. This process
  /// does not see it there, but the next one would. So the log is emptied first. Before the commit,
  /// the log has nothing that counts.
  private func holds(_ copy: Path, usesLog: Bool, mayBeCommitted: Bool) -> Bool {
    if usesLog, !mayBeCommitted { return true }
    // A reader may use the log for long.
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    do {
      let connection = try Connection(path: file.path.bytes, access: .readWrite, deadline: deadline)
      if usesLog {
        guard try connection.emptyLog() else { return false }
        try OpenFile.reading(file.path + "-wal").sync()
      }
      return PageCopy.isCopy(copy, of: connection)
    } catch {
      return false
    }
  }

  /// The error after another program has replaced or removed the file.
  private func moved(oldContent: Path) -> UpgradeError {
    .disk(
      path: file.shown,
      words: "\(SQLiteError.moved.message), and what it held is in \(oldContent.shown)",
      failure: nil)
  }

  /// The error after which the database may have either content.
  private func unclear(_ error: SQLiteError, oldContent: Path) -> UpgradeError {
    let words = "\(error.message); the database has the old content or the new one, and "
    return .disk(
      path: file.shown, words: words + "the old one is also in \(oldContent.shown)", failure: nil)
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
    deadline.mustStopNow
      ? .cancelled(reached: nil) : UpgradeError(error, at: file.shown, reached: nil)
  }
}
