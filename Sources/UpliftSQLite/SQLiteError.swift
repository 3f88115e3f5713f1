internal import CUpliftSQLite

/// The error that a call of SQLite reported.
package struct SQLiteError: Error, Hashable, Sendable {
  package let code: ResultCode
  /// SQLite's own words.
  package let message: String
  /// The first byte at fault in the statement; nil if SQLite does not know it.
  package let offset: Int?
  /// The operating system's code of the latest file operation that failed; 0 if there was none.
  package let systemCode: Int32

  package init(code: ResultCode, message: String, offset: Int? = nil, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.offset = offset
    self.systemCode = systemCode
  }

  /// The path no longer names the file that was opened.
  package static let moved = SQLiteError(
    code: .databaseMoved, message: "the database was replaced or removed")

  /// The latest error of a connection; without a connection, the general words for the code.
  init(_ code: Int32, of handle: OpaquePointer?) {
    let offset = handle.map(uplift_sqlite3_error_offset) ?? -1
    let words = handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
    self.init(
      code: ResultCode(code),
      message: words.map { String(cString: $0) } ?? "unknown error",
      offset: offset >= 0 ? Int(offset) : nil,
      systemCode: handle.map(sqlite3_system_errno) ?? 0
    )
  }
}

/// A result code of SQLite: the extended one if SQLite gives it.
package struct ResultCode: Hashable, Sendable {
  package let rawValue: Int32

  package init(_ rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The code without its extension, for example `busy` for `SQLITE_BUSY_SNAPSHOT`.
  package var primary: ResultCode { ResultCode(rawValue & 0xff) }

  /// True for the primary code of an error of the machine, for example a full disk.
  package var isOfMachine: Bool {
    [.full, .inputOutput, .noMemory, .busy, .corrupt, .interrupted].contains(self)
  }

  package static let error = ResultCode(SQLITE_ERROR)
  package static let permission = ResultCode(SQLITE_PERM)
  package static let busy = ResultCode(SQLITE_BUSY)
  package static let locked = ResultCode(SQLITE_LOCKED)
  package static let noMemory = ResultCode(SQLITE_NOMEM)
  package static let readOnly = ResultCode(SQLITE_READONLY)
  package static let interrupted = ResultCode(SQLITE_INTERRUPT)
  package static let inputOutput = ResultCode(SQLITE_IOERR)
  /// A file could not be written: `SQLITE_IOERR_WRITE`.
  package static let writing = ResultCode(SQLITE_IOERR | 3 << 8)
  /// No directory for temporary files can be written: `SQLITE_IOERR_GETTEMPPATH`.
  package static let noTemporaryPath = ResultCode(SQLITE_IOERR | 25 << 8)
  package static let corrupt = ResultCode(SQLITE_CORRUPT)
  /// The content of a virtual table contradicts itself, but the file is whole:
  /// `SQLITE_CORRUPT_VTAB`.
  package static let corruptVirtualTable = ResultCode(SQLITE_CORRUPT | 1 << 8)
  package static let full = ResultCode(SQLITE_FULL)
  package static let cannotOpen = ResultCode(SQLITE_CANTOPEN)
  /// The path no longer names the file that was opened: `SQLITE_READONLY_DBMOVED`.
  package static let databaseMoved = ResultCode(SQLITE_READONLY | 4 << 8)
  package static let notAuthorized = ResultCode(SQLITE_AUTH)
  package static let locking = ResultCode(SQLITE_PROTOCOL)
  package static let notADatabase = ResultCode(SQLITE_NOTADB)
}

extension ResultCode {
  /// The name of the code in SQLite's documentation, for example `SQLITE_CONSTRAINT_UNIQUE`.
  package var name: String {
    "SQLITE_" + (Self.names[rawValue] ?? Self.names[primary.rawValue] ?? "\(rawValue)")
  }

  /// The numbers are written out, because the header of an older SQLite lacks some of the names.
  private static let names: [Int32: String] = [
    1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM",
    8: "READONLY", 9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL",
    14: "CANTOPEN", 15: "PROTOCOL", 16: "EMPTY", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT",
    20: "MISMATCH", 21: "MISUSE", 22: "NOLFS", 23: "AUTH", 24: "FORMAT", 25: "RANGE", 26: "NOTADB",
    27: "NOTICE", 28: "WARNING", 100: "ROW", 101: "DONE",
    257: "ERROR_MISSING_COLLSEQ", 513: "ERROR_RETRY", 769: "ERROR_SNAPSHOT", 261: "BUSY_RECOVERY",
    517: "BUSY_SNAPSHOT", 773: "BUSY_TIMEOUT", 262: "LOCKED_SHAREDCACHE", 518: "LOCKED_VTAB",
    266: "IOERR_READ", 522: "IOERR_SHORT_READ", 778: "IOERR_WRITE", 1034: "IOERR_FSYNC",
    1290: "IOERR_DIR_FSYNC", 1546: "IOERR_TRUNCATE", 1802: "IOERR_FSTAT", 2058: "IOERR_UNLOCK",
    2314: "IOERR_RDLOCK", 2570: "IOERR_DELETE", 2826: "IOERR_BLOCKED", 3082: "IOERR_NOMEM",
    3338: "IOERR_ACCESS", 3594: "IOERR_CHECKRESERVEDLOCK", 3850: "IOERR_LOCK", 4106: "IOERR_CLOSE",
    4362: "IOERR_DIR_CLOSE", 4618: "IOERR_SHMOPEN", 4874: "IOERR_SHMSIZE", 5130: "IOERR_SHMLOCK",
    5386: "IOERR_SHMMAP", 5642: "IOERR_SEEK", 5898: "IOERR_DELETE_NOENT", 6154: "IOERR_MMAP",
    6410: "IOERR_GETTEMPPATH", 6666: "IOERR_CONVPATH", 6922: "IOERR_VNODE", 7178: "IOERR_AUTH",
    7434: "IOERR_BEGIN_ATOMIC", 7690: "IOERR_COMMIT_ATOMIC", 7946: "IOERR_ROLLBACK_ATOMIC",
    8202: "IOERR_DATA", 8458: "IOERR_CORRUPTFS", 8714: "IOERR_IN_PAGE",
    270: "CANTOPEN_NOTEMPDIR", 526: "CANTOPEN_ISDIR", 782: "CANTOPEN_FULLPATH",
    1038: "CANTOPEN_CONVPATH", 1294: "CANTOPEN_DIRTYWAL", 1550: "CANTOPEN_SYMLINK",
    267: "CORRUPT_VTAB", 523: "CORRUPT_SEQUENCE", 779: "CORRUPT_INDEX", 264: "READONLY_RECOVERY",
    520: "READONLY_CANTLOCK", 776: "READONLY_ROLLBACK", 1032: "READONLY_DBMOVED",
    1288: "READONLY_CANTINIT", 1544: "READONLY_DIRECTORY", 516: "ABORT_ROLLBACK",
    275: "CONSTRAINT_CHECK", 531: "CONSTRAINT_COMMITHOOK", 787: "CONSTRAINT_FOREIGNKEY",
    1043: "CONSTRAINT_FUNCTION", 1299: "CONSTRAINT_NOTNULL", 1555: "CONSTRAINT_PRIMARYKEY",
    1811: "CONSTRAINT_TRIGGER", 2067: "CONSTRAINT_UNIQUE", 2323: "CONSTRAINT_VTAB",
    2579: "CONSTRAINT_ROWID", 2835: "CONSTRAINT_PINNED", 3091: "CONSTRAINT_DATATYPE",
    283: "NOTICE_RECOVER_WAL", 539: "NOTICE_RECOVER_ROLLBACK", 284: "WARNING_AUTOINDEX",
    279: "AUTH_USER",
  ]
}
