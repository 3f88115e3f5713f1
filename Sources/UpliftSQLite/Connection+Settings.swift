internal import CUpliftSQLite

extension Connection {
  /// Settings that a system's SQLite may have compiled otherwise, pinned and read back.
  ///
  /// Foreign keys are off, so that a rebuilt table does not cascade into its children: SQLite's
  /// own procedure for schema changes begins with it, and inside a transaction the pragma
  /// would do nothing (sqlite.org/lang_altertable.html, step 1). `synchronous=EXTRA` syncs the
  /// directory after the journal is gone: without it the last commit may come back undone
  /// after a power cut. `fts3_tokenizer('name', pointer)` would register a tokenizer that only this
  /// connection has, or jump to any address. `trusted_schema` is left alone: off, it breaks the triggers of
  /// full-text tables.
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
      // What was only looked at keeps its log; what was written has its log taken in.
      (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0),
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
    // Other threads would compare keys with the collations of a step, which may not be made for that.
    sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
  }
}
