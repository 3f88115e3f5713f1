internal import CUpliftSQLite

/// SQLite as a whole, for the process.
package enum Engine {
  /// The version of the SQLite that this process runs, as in `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Stops SQLite from counting the memory it takes, a quarter of the time of a long script of
  /// short statements.
  ///
  /// For a program that has SQLite to itself, before it opens anything: the setting is the
  /// process's, not the library's to choose. Where SQLite is running already, nothing changes.
  package static func forgoStatistics() {
    _ = uplift_sqlite3_forgo_statistics()
  }
}
