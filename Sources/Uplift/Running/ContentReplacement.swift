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

  /// Copies the old content to a file of its own, and then writes the backup into the database.
  ///
  /// Returns the path of that file; nil if it must be tried again, because another program has
  /// changed the backup, or has switched the write-ahead log on or off. If the restore fails, the
  /// file is removed only if the database surely has the same content. Otherwise it may be the only
  /// copy.
  func replace(by backup: UsableBackup) throws(UpgradeError) -> Path? {
    let database = try OpenDatabase.openForWriting(file, deadline: deadline)
    var (pageSize, size): (Int64, Int64) = (0, 0)
    let mode = database.connection.usesLogByHeader
    let usesLog = try at { () throws(SQLiteError) in
      try database.connection.pinSettings(doubleQuotedStrings: false)
      pageSize = try database.connection.integer("PRAGMA page_size")
      size = try database.connection.integer("PRAGMA page_count") * pageSize
      // With a log beside it, this is true of any database.
      return try database.connection.text("PRAGMA journal_mode") == "wal"
    }
    guard database.connection.usesLogByHeader == mode else { return nil }
    guard !usesLog || pageSize == Int64(backup.header.pageSize) else {
      throw .backup(backup.path, .otherPageSize)
    }
    try refuseUncountedPages(of: database.connection, size)
    try checkRoom(for: backup.path, size, usesLog: usesLog)
    let opened = try backup.opened()
    let source = try backup.open(deadline)
    var saved: OldContent?
    var failure: UpgradeError?
    var mayBeCommitted = false
    do throws(SQLiteError) {
      let isDone = try source.copyAll(
        into: database.connection,
        onLocked: { _ in
          guard database.connection.usesLogByHeader == mode else { return false }
          do throws(UpgradeError) {
            saved = try save(database.connection, usesLog: usesLog, before: backup.version)
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
      if isDone, let saved {
        if database.connection.hasMoved { throw SQLiteError.moved }
        // SQLite has read the last page after the last look at the backup.
        guard backup.isWhole(opened) else { throw .mixed }
        database.connection.mayMoveLog()
        return saved.copy
      }
    } catch {
      if let saved {
        guard holds(saved, usesLog: usesLog, mayBeCommitted: mayBeCommitted) else {
          throw unclear(error, oldContent: saved.copy)
        }
        discard(saved)
      }
      // The error may be about the backup.
      if !backup.isUnchanged, !deadline.mustStopNow { return nil }
      throw translated(error)
    }
    if let failure { throw failure }
    guard let saved else { return nil }
    guard holds(saved, usesLog: usesLog, mayBeCommitted: false) else {
      throw unclear(
        database.connection.hasMoved ? .moved : .changed, oldContent: saved.copy)
    }
    discard(saved)
    return nil
  }

  /// Removes the copy, unless its path leads to another one by now: that of an earlier restore, if
  /// the directory was replaced.
  private func discard(_ old: OldContent) {
    if (try? BackupDirectory.identity(of: old.copy)) == old.identity { System.discard(old.copy) }
  }

  /// A copy of the old content.
  private struct OldContent {
    let copy: Path
    let identity: FileFacts.Identity?
    /// The database right after it was copied; nil if it was not there any more.
    let facts: FileFacts?
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
  ///
  /// If that is no table, the rows are lost, and any backup may be all that is left of them. So all
  /// get a second name, except the one that is `restored`.
  private func save(
    _ connection: borrowing Connection, usesLog: Bool, before restored: Version
  ) throws(UpgradeError) -> OldContent {
    let copy = try BackupCopy(database: file.path, directory: directory, deadline: deadline)
      .makeReplaced { partial throws(UpgradeError) in
        if usesLog {
          try PageCopy.makeUnderLock(
            of: connection, file.path, to: partial, addsRest: true, deadline: deadline)
          if connection.hasMoved { throw translated(.moved) }
        } else {
          // No other connection can read the database now.
          try PageCopy.makeOfFile(of: connection, file.shown, to: partial)
        }
        if LostDatabase.hasTables(partial) != true {
          try LostDatabase(directory).keepBackups(except: restored)
        }
      } version: { partial throws(UpgradeError) in
        try version(of: partial)
      }
    // The copy must be named even if the file is not there any more.
    return OldContent(
      copy: copy, identity: (try? BackupDirectory.identity(of: copy)) ?? nil,
      facts: (try? file.facts()) ?? nil)
  }

  /// The version of a copy, which may be longer than its pages.
  private func version(of copy: Path) throws(UpgradeError) -> Version {
    guard let version = DatabaseHeader.version(in: try SeedFile.start(of: copy)) else {
      throw .damaged(path: file.shown, .malformed(words: "its header is wrong"))
    }
    return version
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

  /// True if the database surely has its old content, so that the copy is not needed.
  ///
  /// Before the commit, the log has nothing that counts, and nobody else can write. If the disk
  /// fails at the commit, the whole commit may be in the log all the same. This process does not see
  /// it there, but the next one would. So the log is emptied first.
  private func holds(_ old: OldContent, usesLog: Bool, mayBeCommitted: Bool) -> Bool {
    do {
      guard let facts = try file.facts(), facts.size > 0, facts.identity == old.facts?.identity
      else { return false }
      if usesLog, !mayBeCommitted, facts == old.facts { return true }
      // Another program that waits for the lock may have it now. A reader may use the log for long.
      let patience = mayBeCommitted ? .zero : min(deadline.timeLeft, .seconds(2))
      let deadline = Deadline(patience: patience, isCancelled: { false })
      let connection = try Connection(path: file.path.bytes, access: .readWrite, deadline: deadline)
      if usesLog, mayBeCommitted {
        guard try connection.emptyLog() else { return false }
        try OpenFile.reading(file.path + "-wal").sync()
      }
      try connection.run("BEGIN")
      if PageCopy.isCopy(old.copy, of: connection) { return true }
      return try !mayBeCommitted && isSound(connection, andLike: old.copy)
    } catch {
      return false
    }
  }

  /// True if the database is sound, and has the version and the `application_id` of the copy.
  ///
  /// Then another program has written since the rollback. Otherwise another database was perhaps
  /// copied into the file.
  private func isSound(
    _ connection: borrowing Connection, andLike copy: Path
  ) throws(SQLiteError) -> Bool {
    guard let then = try? SeedFile.header(of: SeedFile.open(copy), copy),
      try connection.integer("PRAGMA user_version") == Int64(then.version.number),
      try connection.integer("PRAGMA application_id") == Int64(then.applicationID)
    else { return false }
    return try UsableBackup.damage(in: connection) == nil
  }

  /// The error after which the database may have either content, or is another file.
  private func unclear(_ error: SQLiteError, oldContent: Path) -> UpgradeError {
    var words = error.message
    if error.code == .databaseMoved || error == .mixed {
      words += ", and what it held is in \(oldContent.shown)"
    } else {
      words += "; the database has the old content or the new one, and "
      words += "the old one is also in \(oldContent.shown)"
    }
    return .disk(path: file.shown, words: words, failure: nil)
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

extension SQLiteError {
  fileprivate static let changed = SQLiteError(
    code: .error, message: "the backup was changed while it was read")

  /// The restore has committed what it had read.
  static let mixed = SQLiteError(
    code: .error,
    message: "the backup was changed while it was read, "
      + "so the database may be damaged until a restore succeeds")
}
