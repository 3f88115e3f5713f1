/// What a script may do with a pragma; a pragma without a rule is refused.
enum PragmaRule {
  /// The pragma is accepted and does nothing: foreign keys are off while scripts run, and they are
  /// checked afterwards.
  case inert
  /// The pragma asks about the database or maintains it, with or without an argument.
  case harmless
  /// The pragma may be read. Setting it is refused.
  case readOnly
  /// The version. It may be read, and set to the script's own number, which does nothing.
  case version
  /// The pragma changes the connection, which is set back after the step.
  case setting
  /// The pragma may be read. Every script may set it to the mode that the database has already,
  /// which does nothing; a `no-transaction` script may change it.
  case journalMode
  /// The pragma may be read. A `no-transaction` script may set it.
  case settableAlone
  /// The pragma does something that only a `no-transaction` script may do.
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

  /// The pragmas of a script without a transaction: they change no value that a column holds, so the
  /// script may run twice.
  static let ofAlone: Set<String> = [
    "journal_mode", "auto_vacuum", "page_size", "wal_checkpoint", "incremental_vacuum", "optimize",
  ]

  /// The journal modes that a script may ask for; with OFF and MEMORY a crash could lose the
  /// database.
  static let journalModes: Set<String> = ["wal", "delete", "truncate", "persist"]
}
