internal import CUpliftSQLite

/// What a connection knows without a statement.
extension Connection {
  /// True while a transaction is open.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// True if the file may not be written.
  ///
  /// `BEGIN IMMEDIATE` can succeed even so.
  package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// The path of the file, without links: one of them may lead elsewhere by now.
  package var path: [UInt8] {
    guard var next = sqlite3_db_filename(handle, "main") else { return [] }
    var bytes: [UInt8] = []
    while next.pointee != 0 {
      bytes.append(UInt8(bitPattern: next.pointee))
      next += 1
    }
    return bytes
  }

  /// True if the connection's path no longer names the file that was opened.
  ///
  /// If so, a commit would succeed and be lost.
  package var hasMoved: Bool {
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }
}
