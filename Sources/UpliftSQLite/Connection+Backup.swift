internal import CUpliftSQLite

extension Connection {
  /// A database in memory, with these bytes for its file.
  package static func memory(_ bytes: [UInt8], deadline: Deadline) throws(SQLiteError) -> Connection
  {
    let connection = try Connection(path: ":memory:", access: .memory, deadline: deadline)
    // The copy becomes SQLite's, which frees it.
    guard let file = sqlite3_malloc64(UInt64(bytes.count))?.assumingMemoryBound(to: UInt8.self)
    else { throw SQLiteError(SQLITE_NOMEM, of: nil) }
    UnsafeMutableRawBufferPointer(start: file, count: bytes.count).copyBytes(from: bytes)
    // A database in memory has no log; the header must not ask for one.
    if bytes.count > 19 { (file[18], file[19]) = (1, 1) }
    let size = Int64(bytes.count)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE)
    let code = sqlite3_deserialize(connection.handle, "main", file, size, size, flags)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: connection.handle) }
    return connection
  }

  /// Makes another database a copy of this one, page by page, under SQLite's own locks: all of
  /// it or, when it throws, nothing.
  ///
  /// False, and nothing is copied, where the other has been changed by somebody else since its
  /// connection has read it last.
  package borrowing func copyAll(
    into other: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let versionRead = other.dataVersion
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_extended_errcode(other.handle), of: other.handle)
    }
    // A step of no pages takes the write lock on the destination, for all that follow.
    var code = step(backup, 0)
    guard code != SQLITE_OK || other.dataVersion == versionRead else {
      sqlite3_backup_finish(backup)
      return false
    }
    // In parts, between which somebody can stop it.
    while code == SQLITE_OK, !deadline.isCancelled { code = step(backup, 1024) }
    let isStopped = code == SQLITE_OK
    let finished = sqlite3_backup_finish(backup)
    guard !isStopped else { throw SQLiteError(SQLITE_INTERRUPT, of: nil) }
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteError(finished == SQLITE_OK ? code : finished, of: other.handle)
    }
    return true
  }

  private borrowing func step(_ backup: OpaquePointer, _ pages: Int32) -> Int32 {
    var attempt = 0
    while true {
      let code = sqlite3_backup_step(backup, pages)
      guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xff), deadline.pause(attempt: attempt)
      else { return code }
      attempt += 1
    }
  }

  /// Changes with each change that another connection makes, once this one has a lock and can
  /// see it (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, SQLITE_FCNTL_DATA_VERSION).
  private var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }
}
