internal import CUpliftSQLite

/// The write-ahead log of a database that is only looked at.
extension Connection {
  /// Does something during which SQLite uses no write-ahead log: to a database that has one it
  /// answers ``ResultCode/cannotOpen``, and has not touched the log.
  ///
  /// That is how to learn the journal mode: to ask for it makes a log where there is none, and to
  /// read the file's header by hand would drop SQLite's locks on it.
  package borrowing func withoutLog<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var before: UnsafePointer<sqlite3_io_methods>?
    let hidden = uplift_sqlite3_hide_log(handle, &before)
    defer { uplift_sqlite3_show_log(handle, hidden, before) }
    return try work()
  }

  /// Has the connection keep the index of the log in its own memory, not in a file beside it.
  ///
  /// It is called before anything is read. Nobody else can use the database as long as the
  /// connection is open.
  ///
  /// "If the locking mode is EXCLUSIVE … then the shared-memory wal-index is never created"
  /// (sqlite.org/wal.html, section 8).
  package borrowing func useOwnMemoryForLog() throws(SQLiteError) {
    try run("PRAGMA locking_mode=EXCLUSIVE")
  }

  /// Leaves the log as it is when the connection is closed; the last one to close would move it into
  /// the database and delete it.
  package borrowing func keepLog() {
    var now: Int32 = 0
    _ = uplift_sqlite3_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &now)
  }
}
