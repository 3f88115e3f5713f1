internal import CUpliftSQLite

extension ScriptGuard {
  /// What a script needs so that its result does not depend on which scripts ran before it in the
  /// same boot.
  package enum Need: Sendable {
    /// The script must be the first in its transaction.
    ///
    /// Either SQLite cannot undo all of its work with a savepoint, or its result depends on whether
    /// the scripts before it are committed.
    case ownTransaction
    /// The script must be the first on its connection: it sees what the connection did for other
    /// scripts.
    case freshConnection
  }
}

extension ScriptGuard.Need {
  /// The need of a script that uses this pragma; nil if there is none.
  ///
  /// With `auto_vacuum` a commit shrinks the file, and its page counts change. `optimize` analyzes
  /// the tables that the connection has queried. The results of the `…_list` pragmas grow with what
  /// the connection has used. Pragmas that go through all tables do it in the order of SQLite's hash
  /// table, which depends on the tables that the connection has dropped. That matters only if a
  /// statement reads the result.
  init?(ofPragma name: String, isRead: Bool) {
    switch name {
    case "table_list", "foreign_key_check", "integrity_check", "quick_check":
      guard isRead else { return nil }
      self = .freshConnection
    case "page_count", "freelist_count": self = .ownTransaction
    case "optimize", "module_list", "function_list", "collation_list", "database_list":
      self = .freshConnection
    default: return nil
    }
  }

  /// The need of a script that reads this table; nil if there is none.
  ///
  /// Three tables describe SQLite itself: the pages of the file, or the statements of the
  /// connection.
  init?(ofReading table: UnsafePointer<CChar>?) {
    // Almost all tables differ in the first byte.
    guard let table, table[0] == CChar(UInt8(ascii: "d")) || table[0] == CChar(UInt8(ascii: "s"))
    else { return nil }
    if sqlite3_stricmp(table, "sqlite_stmt") == 0 {
      self = .freshConnection
    } else if sqlite3_stricmp(table, "dbstat") == 0 || sqlite3_stricmp(table, "sqlite_dbpage") == 0
    {
      self = .ownTransaction
    } else {
      return nil
    }
  }
}
