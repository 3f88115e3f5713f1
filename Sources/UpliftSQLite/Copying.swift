internal import CUpliftSQLite

/// Copies of whole databases.
extension Connection {
  /// Makes another database a copy of this one, page by page, under SQLite's own locks.
  ///
  /// It returns false if `isUnchanged` does, and if this database has no pages: SQLite would empty
  /// the other one at once. If it returns false or throws, nothing is copied. `isUnchanged` tells
  /// whether the source is still the same; it is asked before the last page is copied, because that
  /// step also commits.
  package borrowing func copyAll(
    into other: borrowing Connection, isUnchanged: () -> Bool = { true }
  ) throws(SQLiteError) -> Bool {
    // From now on this database has the same number of pages.
    let begins = !isInTransaction
    if begins { try run("BEGIN") }
    defer { if begins { try? run("COMMIT") } }
    guard try integer("PRAGMA page_count") > 0 else { return false }
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_extended_errcode(other.handle), of: other.handle)
    }
    // A step of no pages takes the write lock on the destination, and keeps it for the other steps.
    var code = step(backup, 0)
    guard code != SQLITE_OK || !other.hasMoved else {
      sqlite3_backup_finish(backup)
      throw .moved
    }
    // In parts, so that the upgrade can be cancelled in between.
    while code == SQLITE_OK, !deadline.mustStopNow {
      let left = sqlite3_backup_remaining(backup)
      guard left > 1 || isUnchanged() else {
        sqlite3_backup_finish(backup)
        return false
      }
      code = step(backup, left > 1 ? min(left - 1, 1024) : 1)
    }
    let finished = sqlite3_backup_finish(backup)
    guard code != SQLITE_OK else { throw SQLiteError(SQLITE_INTERRUPT, of: nil) }
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteError(finished == SQLITE_OK ? code : finished, of: other.handle)
    }
    return true
  }

  /// Copies some pages, and waits while another connection holds a lock.
  private borrowing func step(_ backup: OpaquePointer, _ pages: Int32) -> Int32 {
    var attempt = 0
    while true {
      let code = sqlite3_backup_step(backup, pages)
      guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xff), deadline.pause(attempt: attempt)
      else { return code }
      attempt += 1
    }
  }

  /// A database in memory, with a copy of these bytes of a database file as its content.
  package static func memory(_ bytes: [UInt8], deadline: Deadline) throws(SQLiteError) -> Connection
  {
    let connection = try Connection(path: ":memory:", access: .memory, deadline: deadline)
    try connection.deserialize(bytes, as: "main")
    return connection
  }

  /// Fills a database in memory with a copy of these bytes.
  borrowing func deserialize(_ bytes: [UInt8], as schema: String) throws(SQLiteError) {
    // SQLite takes over this copy, and frees it.
    guard let file = sqlite3_malloc64(UInt64(bytes.count))?.assumingMemoryBound(to: UInt8.self)
    else { throw SQLiteError(SQLITE_NOMEM, of: nil) }
    UnsafeMutableRawBufferPointer(start: file, count: bytes.count).copyBytes(from: bytes)
    // A database in memory has no write-ahead log, so its header must not ask for one.
    if bytes.count > 19 { (file[18], file[19]) = (1, 1) }
    let size = Int64(bytes.count)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE)
    let code = sqlite3_deserialize(handle, schema, file, size, size, flags)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }
}
