internal import CUpliftSQLite

extension Connection {
  /// Bytes of the file of a database, read through SQLite's own open file; nil if that fails.
  ///
  /// If Uplift opened the file itself, closing it would drop SQLite's locks. The caller holds a
  /// read lock, and the database has no write-ahead log, so that the file is the database.
  package borrowing func fileBytes(at offset: Int, count: Int) -> [UInt8]? {
    var code = SQLITE_ERROR
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = uplift_sqlite3_read_file(handle, buffer.baseAddress, Int32(count), Int64(offset))
      filled = code == SQLITE_OK ? count : 0
    }
    return code == SQLITE_OK ? bytes : nil
  }

  /// The size of the file if it has more than zeros after an offset, and otherwise the offset.
  package borrowing func sizeWithRest(after offset: Int64) throws(SQLiteError) -> Int64 {
    let size = uplift_sqlite3_file_size(handle)
    guard size >= 0 else { throw SQLiteError(SQLITE_IOERR, of: nil) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { buffer.deallocate() }
    var read = offset
    while read < size {
      let count = Int(min(size - read, Int64(buffer.count)))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try readFile(into: piece, at: Int(read))
      if piece.contains(where: { $0 != 0 }) { return size }
      read += Int64(count)
    }
    return offset
  }

  /// Reads bytes of the file of a database through SQLite's own open file, as many as the buffer
  /// takes.
  package borrowing func readFile(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SQLiteError) {
    let code = uplift_sqlite3_read_file(
      handle, buffer.baseAddress, Int32(buffer.count), Int64(offset))
    guard code == SQLITE_OK else { throw SQLiteError(code, of: nil) }
  }
}

/// The header of a database (sqlite.org/fileformat2.html, section 1.3).
extension [UInt8] {
  var pageSize: Int { big16(16) == 1 ? 65536 : big16(16) }

  /// The number of pages; nil if it is not valid, because an old SQLite wrote last (section 1.3.7).
  var pageCount: Int? { big32(24) == big32(92) ? big32(28) : nil }

  func big16(_ offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

  func big32(_ offset: Int) -> Int { big16(offset) << 16 | big16(offset + 2) }
}
