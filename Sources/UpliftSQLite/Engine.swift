internal import CUpliftSQLite

/// The SQLite library of this process.
package enum Engine {
  /// The version of SQLite, for example `3.40.1`.
  package static var version: String { String(cString: sqlite3_libversion()) }

  /// True for a keyword of SQLite; as a name it is written in quotes.
  package static func isKeyword(_ word: [UInt8]) -> Bool {
    word.withUnsafeBytes { buffer in
      sqlite3_keyword_check(
        buffer.assumingMemoryBound(to: CChar.self).baseAddress, Int32(buffer.count)) != 0
    }
  }

  /// Turns off SQLite's count of the memory that it uses.
  ///
  /// The count takes a fifth of the time of a long script with short statements. The setting
  /// belongs to the whole process, so only a program may choose it, and only before it opens a
  /// database. If SQLite is in use already, nothing changes.
  package static func forgoMemoryStatistics() {
    _ = uplift_sqlite3_forgo_memory_statistics()
  }
}
