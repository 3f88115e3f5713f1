internal import CUpliftSQLite

/// The SQLite library of this process.
package enum Engine {
  /// The version of SQLite, for example `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// Turns off SQLite's count of the memory that it uses.
  ///
  /// The count takes a fifth of the time of a long script with short statements. The setting
  /// belongs to the whole process, so only a program may choose it, and only before it opens a
  /// database. If SQLite is in use already, nothing changes.
  package static func forgoStatistics() {
    _ = uplift_sqlite3_forgo_statistics()
  }
}
