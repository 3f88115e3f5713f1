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
  /// The pragma changes the connection, which is not used for another script afterwards.
  case setting
  /// The pragma may be read. It may be set to one of these values if there is no transaction.
  ///
  /// Every script may set it to the mode that the database has already, which does nothing.
  case journalMode(Set<String>)
  /// The pragma may be read. It may be set if there is no transaction.
  case settableOutsideTransaction
  /// The pragma does something for which there must be no transaction.
  case actionOutsideTransaction

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
    case "application_id", "schema_version", "data_version", "encoding",
      "page_count", "freelist_count", "synchronous", "locking_mode":
      self = .readOnly
    case "recursive_triggers", "legacy_alter_table", "case_sensitive_like", "automatic_index",
      "cache_size", "analysis_limit":
      self = .setting
    case "journal_mode":
      // With OFF and MEMORY a crash could lose the database.
      self = .journalMode(["wal", "delete", "truncate", "persist"])
    case "auto_vacuum", "page_size":
      self = .settableOutsideTransaction
    case "wal_checkpoint":
      self = .actionOutsideTransaction
    default:
      return nil
    }
  }
}
