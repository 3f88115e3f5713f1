internal import CUpliftSQLite

extension Connection {
  /// Bytes of the file of a database, read through SQLite's own open file; nil if that fails.
  ///
  /// If Uplift opened the file itself, closing it would drop SQLite's locks. The caller holds a read lock, and
  /// the database has no write-ahead log, so that the file is the database.
  package borrowing func fileBytes(at offset: Int, count: Int) -> [UInt8]? {
    var code = SQLITE_ERROR
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = uplift_sqlite3_read_file(handle, buffer.baseAddress, Int32(count), Int64(offset))
      filled = code == SQLITE_OK ? count : 0
    }
    return code == SQLITE_OK ? bytes : nil
  }

  /// Reads bytes of the file of a database in the same way, as many as the buffer takes.
  package borrowing func readFile(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SQLiteError) {
    let code = uplift_sqlite3_read_file(
      handle, buffer.baseAddress, Int32(buffer.count), Int64(offset))
    guard code == SQLITE_OK else { throw SQLiteError(code, of: nil) }
  }
}

extension [UInt8] {
  /// True if both have the same bytes.
  func isSame(as other: [UInt8]) -> Bool {
    count == other.count
      && withUnsafeBytes { one in
        other.withUnsafeBytes { two in
          uplift_sqlite3_is_same(one.baseAddress, two.baseAddress, one.count) != 0
        }
      }
  }
}
