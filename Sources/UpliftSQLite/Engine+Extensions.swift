internal import CUpliftSQLite

/// Extensions: files with code that SQLite loads.
extension Engine {
  /// False for a SQLite that was built without extensions.
  package static var loadsExtensions: Bool { uplift_sqlite3_loads_extensions() != 0 }

  /// Loads an extension into a connection.
  ///
  /// Loading is allowed for this moment only, and never to SQL: `load_extension()` stays off. The
  /// path must have a slash, because the system would search a bare name in its own directories.
  package static func loadExtension(
    _ path: [UInt8], into handle: OpaquePointer
  ) throws(SQLiteError) {
    try setExtensions(on: true, handle)
    var words: UnsafeMutablePointer<CChar>?
    let code = (path + [0]).withUnsafeBytes { buffer in
      uplift_sqlite3_load_extension(
        handle, buffer.assumingMemoryBound(to: CChar.self).baseAddress, &words)
    }
    defer { sqlite3_free(words) }
    try setExtensions(on: false, handle)
    guard code == SQLITE_OK else {
      throw SQLiteError(
        code: ResultCode(code),
        message: words.map { String(cString: $0) } ?? String(cString: sqlite3_errstr(code)))
    }
  }

  /// Allows the C function to load extensions, or forbids it.
  static func setExtensions(on isOn: Bool, _ handle: OpaquePointer) throws(SQLiteError) {
    var now: Int32 = -1
    let code = uplift_sqlite3_configure(
      handle, Int32(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION), isOn ? 1 : 0, &now)
    guard code == SQLITE_OK, now == (isOn ? 1 : 0) else { throw SQLiteError(code, of: handle) }
  }
}
