internal import CUpliftSQLite

extension Connection {
  /// A database in memory.
  ///
  /// Its content is a copy of these bytes of a database file.
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
