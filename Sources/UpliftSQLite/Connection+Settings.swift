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
    let quotes: Int32 = doubleQuotedStrings ? 1 : 0
    for (setting, wanted) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1),
      (SQLITE_DBCONFIG_DQS_DDL, quotes),
      (SQLITE_DBCONFIG_DQS_DML, quotes),
      (SQLITE_DBCONFIG_ENABLE_FKEY, 0),
      (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 1),
      (SQLITE_DBCONFIG_ENABLE_VIEW, 1),
      (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
      (SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0),
      (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
    ] as [(Int32, Int32)] {
      var now: Int32 = -1
      let code = uplift_sqlite3_configure(handle, Int32(setting), wanted, &now)
      guard code == SQLITE_OK, now == wanted else {
        throw SQLiteError(
          code: ResultCode(code == SQLITE_OK ? SQLITE_ERROR : code),
          message: "this SQLite does not take setting \(setting)")
      }
    }
    try run("PRAGMA synchronous=EXTRA")
    guard try integer("PRAGMA synchronous") == 3 else {
      throw SQLiteError(code: .error, message: "this SQLite does not take synchronous=EXTRA")
    }
    try run("PRAGMA recursive_triggers=OFF")
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
  }

  /// Does some work during which no trigger fires.
  package borrowing func withoutTriggers(
    _ work: () throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    try setTriggers(on: false)
    let result = Result { () throws(SQLiteError) in try work() }
    try setTriggers(on: true)
    try result.get()
  }

  private borrowing func setTriggers(on isOn: Bool) throws(SQLiteError) {
    var now: Int32 = -1
    let code = uplift_sqlite3_configure(
      handle, Int32(SQLITE_DBCONFIG_ENABLE_TRIGGER), isOn ? 1 : 0, &now)
    guard code == SQLITE_OK else { throw SQLiteError(code, of: handle) }
  }
}
