/// What a script may do with a pragma; a pragma without a rule is refused.
enum PragmaRule {
  /// It is accepted and does nothing: foreign keys are off while scripts run, and they are checked
  /// afterwards.
  case inert
  /// It asks about the database or maintains it, with or without an argument.
  case harmless
  /// It may be read. Setting it is refused.
  case readOnly
  /// The version. It may be read, and set to the script's own number, which does nothing.
  case version
  /// It changes the connection, which is set back after the step.
  case setting
  /// It may be read. Every script may set it to the mode that the database has already, which does
  /// nothing; a `no-transaction` script may change it.
  case journalMode
  /// It may be read. A `no-transaction` script may set it.
  case settableAlone
  /// It does something that only a `no-transaction` script may do.
  case onlyAlone

  init?(_ name: String) {
    switch name {
    case "foreign_keys", "defer_foreign_keys":
      self = .inert
    case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
      "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check", "optimize",
      "database_list", "collation_list", "function_list", "module_list", "pragma_list",
      "compile_options", "incremental_vacuum":
      self = .harmless
    case "user_version":
      self = .version
    // Not `page_count`, `freelist_count` and `schema_version`, which show the scripts of the group.
    case "application_id", "data_version", "encoding", "synchronous", "locking_mode":
      self = .readOnly
    case "recursive_triggers", "legacy_alter_table", "case_sensitive_like", "automatic_index",
      "cache_size", "analysis_limit":
      self = .setting
    case "journal_mode":
      self = .journalMode
    case "auto_vacuum", "page_size":
      self = .settableAlone
    case "wal_checkpoint":
      self = .onlyAlone
    default:
      return nil
    }
  }

  /// The pragmas of a script without a transaction: they change no value that a column holds, so
  /// the script may run twice.
  static let ofAlone: Set<String> = [
    "journal_mode", "auto_vacuum", "page_size", "wal_checkpoint", "incremental_vacuum", "optimize",
  ]

  /// The journal modes that a script may ask for; with OFF and MEMORY a crash could lose the
  /// database.
  static let journalModes: Set<String> = ["wal", "delete", "truncate", "persist"]
}

/// Why a statement of a script is refused.
///
/// ``ScriptGuard`` finds all of them but `parameter`, which only the prepared statement shows.
package enum Refusal: Hashable, Sendable {
  /// `ROLLBACK`, or a `BEGIN` or `COMMIT` without a partner.
  case transaction(String)
  /// `SAVEPOINT`, `RELEASE` or `ROLLBACK TO`.
  case savepoint
  case attach
  case detach
  case vacuumInto
  /// A pragma that no script may use or set, by its name in lower case; if only the value is
  /// refused, it follows: `journal_mode=off`.
  case pragma(String)
  /// A pragma that only a `no-transaction` script may use: SQLite ignores it inside a transaction.
  case pragmaInTransaction(String)
  /// A statement of a `no-transaction` script that is neither `VACUUM` nor one of the pragmas for
  /// it.
  case notAlone
  /// A parameter, `?1` or `:name`: a script has no values, and SQLite would take `NULL`.
  case parameter(String)
  /// A statement that would change the seed, in a script that reads it; the table is empty if no
  /// table of the seed is named.
  case seedChange(table: String)
  /// A change of the schema, in a script that reads the seed: `CREATE TABLE words`.
  case schemaChange(String)
}
