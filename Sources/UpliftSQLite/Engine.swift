internal import CUpliftSQLite

/// SQLite as a whole, for the process.
package enum Engine {
  /// Stops SQLite from counting the memory it takes, a quarter of the time of a long script of
  /// short statements.
  ///
  /// For a program that has SQLite to itself, before it opens anything: the setting is the
  /// process's, not the library's to choose. Where SQLite is running already, nothing changes.
  package static func forgoStatistics() {
    _ = uplift_sqlite3_forgo_statistics()
  }
}
