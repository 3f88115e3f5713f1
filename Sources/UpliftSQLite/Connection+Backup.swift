internal import CUpliftSQLite

extension Connection {
  /// A database in memory, with these bytes for its file.
  package static func memory(_ bytes: [UInt8], watch: Watch) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: ":memory:", access: .memory, watch: watch)
    // The copy becomes SQLite's, which frees it.
    guard let file = sqlite3_malloc64(UInt64(bytes.count))?.assumingMemoryBound(to: UInt8.self)
    else { throw SQLiteError(SQLITE_NOMEM, of: nil) }
    for (index, byte) in bytes.enumerated() { file[index] = byte }
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
  package borrowing func copyAll(into other: borrowing Connection) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_extended_errcode(other.handle), of: other.handle)
    }
    var attempt = 0
    var code = sqlite3_backup_step(backup, -1)
    while [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xff), watch.pause(attempt: attempt) {
      attempt += 1
      code = sqlite3_backup_step(backup, -1)
    }
    let finished = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteError(finished == SQLITE_OK ? code : finished, of: other.handle)
    }
  }
}
