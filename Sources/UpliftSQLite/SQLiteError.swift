internal import CUpliftSQLite

/// The error that a call of SQLite reported.
package struct SQLiteError: Error, Hashable, Sendable {
  package let code: ResultCode
  /// SQLite's own words.
  package let message: String
  /// The first byte at fault, counted from the start of the statement; nil if SQLite does not know
  /// it.
  package let offset: Int?
  /// The error code of the operating system for the latest file operation that failed; 0 if there
  /// was none.
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

  /// True for the primary code of an error of the machine: a full disk, or one that fails, for
  /// example.
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
    Self.names[rawValue] ?? Self.names[primary.rawValue] ?? "SQLITE_\(rawValue)"
  }

  /// The numbers are written out, because the header of an older SQLite lacks some of the names.
  private static let names: [Int32: String] = [
    1: "SQLITE_ERROR",
    2: "SQLITE_INTERNAL",
    3: "SQLITE_PERM",
    4: "SQLITE_ABORT",
    5: "SQLITE_BUSY",
    6: "SQLITE_LOCKED",
    7: "SQLITE_NOMEM",
    8: "SQLITE_READONLY",
    9: "SQLITE_INTERRUPT",
    10: "SQLITE_IOERR",
    11: "SQLITE_CORRUPT",
    12: "SQLITE_NOTFOUND",
    13: "SQLITE_FULL",
    14: "SQLITE_CANTOPEN",
    15: "SQLITE_PROTOCOL",
    16: "SQLITE_EMPTY",
    17: "SQLITE_SCHEMA",
    18: "SQLITE_TOOBIG",
    19: "SQLITE_CONSTRAINT",
    20: "SQLITE_MISMATCH",
    21: "SQLITE_MISUSE",
    22: "SQLITE_NOLFS",
    23: "SQLITE_AUTH",
    24: "SQLITE_FORMAT",
    25: "SQLITE_RANGE",
    26: "SQLITE_NOTADB",
    27: "SQLITE_NOTICE",
    28: "SQLITE_WARNING",
    100: "SQLITE_ROW",
    101: "SQLITE_DONE",
    257: "SQLITE_ERROR_MISSING_COLLSEQ",
    513: "SQLITE_ERROR_RETRY",
    769: "SQLITE_ERROR_SNAPSHOT",
    261: "SQLITE_BUSY_RECOVERY",
    517: "SQLITE_BUSY_SNAPSHOT",
    773: "SQLITE_BUSY_TIMEOUT",
    262: "SQLITE_LOCKED_SHAREDCACHE",
    518: "SQLITE_LOCKED_VTAB",
    266: "SQLITE_IOERR_READ",
    522: "SQLITE_IOERR_SHORT_READ",
    778: "SQLITE_IOERR_WRITE",
    1034: "SQLITE_IOERR_FSYNC",
    1290: "SQLITE_IOERR_DIR_FSYNC",
    1546: "SQLITE_IOERR_TRUNCATE",
    1802: "SQLITE_IOERR_FSTAT",
    2058: "SQLITE_IOERR_UNLOCK",
    2314: "SQLITE_IOERR_RDLOCK",
    2570: "SQLITE_IOERR_DELETE",
    2826: "SQLITE_IOERR_BLOCKED",
    3082: "SQLITE_IOERR_NOMEM",
    3338: "SQLITE_IOERR_ACCESS",
    3594: "SQLITE_IOERR_CHECKRESERVEDLOCK",
    3850: "SQLITE_IOERR_LOCK",
    4106: "SQLITE_IOERR_CLOSE",
    4362: "SQLITE_IOERR_DIR_CLOSE",
    4618: "SQLITE_IOERR_SHMOPEN",
    4874: "SQLITE_IOERR_SHMSIZE",
    5130: "SQLITE_IOERR_SHMLOCK",
    5386: "SQLITE_IOERR_SHMMAP",
    5642: "SQLITE_IOERR_SEEK",
    5898: "SQLITE_IOERR_DELETE_NOENT",
    6154: "SQLITE_IOERR_MMAP",
    6410: "SQLITE_IOERR_GETTEMPPATH",
    6666: "SQLITE_IOERR_CONVPATH",
    6922: "SQLITE_IOERR_VNODE",
    7178: "SQLITE_IOERR_AUTH",
    7434: "SQLITE_IOERR_BEGIN_ATOMIC",
    7690: "SQLITE_IOERR_COMMIT_ATOMIC",
    7946: "SQLITE_IOERR_ROLLBACK_ATOMIC",
    8202: "SQLITE_IOERR_DATA",
    8458: "SQLITE_IOERR_CORRUPTFS",
    8714: "SQLITE_IOERR_IN_PAGE",
    270: "SQLITE_CANTOPEN_NOTEMPDIR",
    526: "SQLITE_CANTOPEN_ISDIR",
    782: "SQLITE_CANTOPEN_FULLPATH",
    1038: "SQLITE_CANTOPEN_CONVPATH",
    1294: "SQLITE_CANTOPEN_DIRTYWAL",
    1550: "SQLITE_CANTOPEN_SYMLINK",
    267: "SQLITE_CORRUPT_VTAB",
    523: "SQLITE_CORRUPT_SEQUENCE",
    779: "SQLITE_CORRUPT_INDEX",
    264: "SQLITE_READONLY_RECOVERY",
    520: "SQLITE_READONLY_CANTLOCK",
    776: "SQLITE_READONLY_ROLLBACK",
    1032: "SQLITE_READONLY_DBMOVED",
    1288: "SQLITE_READONLY_CANTINIT",
    1544: "SQLITE_READONLY_DIRECTORY",
    516: "SQLITE_ABORT_ROLLBACK",
    275: "SQLITE_CONSTRAINT_CHECK",
    531: "SQLITE_CONSTRAINT_COMMITHOOK",
    787: "SQLITE_CONSTRAINT_FOREIGNKEY",
    1043: "SQLITE_CONSTRAINT_FUNCTION",
    1299: "SQLITE_CONSTRAINT_NOTNULL",
    1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
    1811: "SQLITE_CONSTRAINT_TRIGGER",
    2067: "SQLITE_CONSTRAINT_UNIQUE",
    2323: "SQLITE_CONSTRAINT_VTAB",
    2579: "SQLITE_CONSTRAINT_ROWID",
    2835: "SQLITE_CONSTRAINT_PINNED",
    3091: "SQLITE_CONSTRAINT_DATATYPE",
    283: "SQLITE_NOTICE_RECOVER_WAL",
    539: "SQLITE_NOTICE_RECOVER_ROLLBACK",
    284: "SQLITE_WARNING_AUTOINDEX",
    279: "SQLITE_AUTH_USER",
  ]
}
