internal import CUpliftSQLite

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
