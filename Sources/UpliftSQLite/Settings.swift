internal import CUpliftSQLite

extension Connection {
  /// Sets the settings for which a system's SQLite may have other defaults, and reads most of them
  /// back.
  ///
  /// - Foreign keys are off, so that dropping a table in a rebuild does not delete the rows that
  ///   refer to it. SQLite's own procedure for schema changes begins with this step, and inside a
  ///   transaction the pragma does nothing (sqlite.org/lang_altertable.html, section 7, step 1).
  /// - `synchronous=EXTRA` syncs the directory after the journal is deleted. Without it a power cut
  ///   can undo the last commit.
  /// - `fts3_tokenizer('name', pointer)` is off: it could register a tokenizer that only this
  ///   connection has, or call code at any address.
  /// - There are no threads for sorting. They would compare keys with the collations of a step,
  ///   which may not be made for threads.
  ///
  /// `trusted_schema` is not changed: if it is off, the triggers of full-text tables fail.
  package borrowing func pinSettings(doubleQuotedStrings: Bool) throws(SQLiteError) {
    for (setting, isOn) in [
      (SQLITE_DBCONFIG_DEFENSIVE, true),
      (SQLITE_DBCONFIG_DQS_DDL, doubleQuotedStrings),
      (SQLITE_DBCONFIG_DQS_DML, doubleQuotedStrings),
      (SQLITE_DBCONFIG_ENABLE_FKEY, false),
      (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, true),
      (SQLITE_DBCONFIG_ENABLE_VIEW, true),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
      (SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false),
      (SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
    ] {
      try Engine.configure(handle, setting, on: isOn)
    }
    try run("PRAGMA synchronous=EXTRA")
    guard try integer("PRAGMA synchronous") == 3 else {
      throw SQLiteError(code: .error, message: "this SQLite does not take synchronous=EXTRA")
    }
    try run("PRAGMA recursive_triggers=OFF")
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
  }

  /// Lets SQLite renew the statistics that are out of date; if it cannot, they stay.
  package borrowing func optimize() {
    for sql in ["PRAGMA analysis_limit=400", "PRAGMA optimize=0x10002"] { try? run(sql) }
  }

  /// Lets SQLite itself check the foreign keys of the rows that a statement changes.
  package borrowing func enforceForeignKeys(_ isOn: Bool) throws(SQLiteError) {
    try Engine.configure(handle, SQLITE_DBCONFIG_ENABLE_FKEY, on: isOn)
  }
}

/// The write-ahead log of a database that is inspected and not changed.
extension Connection {
  /// True if the header of the file says that the database has a write-ahead log; nil if it cannot
  /// be read.
  ///
  /// It is read through SQLite's own open file. If Uplift asked SQLite for the mode, SQLite would
  /// make a log. If Uplift opened the file itself, closing it would drop SQLite's locks.
  package var usesLogByHeader: Bool? {
    var mode: UInt8 = 0
    return uplift_sqlite3_read_file(handle, &mode, 1, 18) == SQLITE_OK ? mode == 2 : nil
  }

  /// Leaves the log as it is when the connection closes; otherwise the last connection to close
  /// moves the log into the database and deletes it.
  package borrowing func keepLog() { setKeepsLog(1) }

  /// Ends `keepLog`.
  package borrowing func mayMoveLog() { setKeepsLog(0) }

  /// True after `keepLog`.
  package var keepsLog: Bool { setKeepsLog(-1) }

  @discardableResult
  private borrowing func setKeepsLog(_ value: Int32) -> Bool {
    var now: Int32 = 0
    _ = uplift_sqlite3_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, value, &now)
    return now == 1
  }
}

/// Pages of a transaction that SQLite writes before the commit, because its cache is full.
///
/// A savepoint may undo such pages in the log. SQLite before 3.50.2 may then commit the other pages
/// without checksums. Everybody sees that commit. After a crash it is lost, and so are all later
/// ones, because SQLite reads the log up to the first wrong checksum. A rollback of the whole
/// transaction does no harm.
extension Connection {
  /// Must be called where a savepoint begins, and before a statement that may fail.
  package borrowing func forgetEarlyPages() { _ = earlyPages(forgets: true) }

  /// True if only the whole transaction may be undone now.
  package var canUndoOnlyAll: Bool {
    guard sqlite3_libversion_number() < 3_050_002, usesLogByHeader != false else { return false }
    return earlyPages(forgets: false) != 0
  }

  /// The pages since the last call that forgets them; nil if this SQLite does not count them.
  private borrowing func earlyPages(forgets: Bool) -> Int32? {
    var (count, highest): (Int32, Int32) = (0, 0)
    let code = sqlite3_db_status(
      handle, SQLITE_DBSTATUS_CACHE_SPILL, &count, &highest, forgets ? 1 : 0)
    return code == SQLITE_OK ? count : nil
  }
}
