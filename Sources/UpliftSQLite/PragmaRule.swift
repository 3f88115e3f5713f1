/// What a script may do with a pragma; what is not listed here is refused.
enum PragmaRule {
  /// Accepted, and does nothing: foreign keys are off while scripts run, and checked after.
  case inert
  /// Asks about the database, or tends it, with or without an argument.
  case question
  /// May be read; setting it is refused.
  case readOnly
  /// The version: may be read, and set to the script's own number, which does nothing.
  case version
  /// Sets something on the connection, which is not used for another script afterwards.
  case setting
  /// May be read; may be set to one of these values if there is no transaction, and to the value
  /// that it has already in any script, which does nothing.
  case journalMode(Set<String>)
  /// May be read; may be set if there is no transaction.
  case alone
  /// Does something that needs to be outside a transaction.
  case aloneAction

  init?(_ name: String) {
    switch name {
    case "foreign_keys", "defer_foreign_keys":
      self = .inert
    case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
      "foreign_key_list", "foreign_key_check", "integrity_check", "quick_check", "optimize",
      "database_list", "collation_list", "function_list", "module_list", "pragma_list",
      "compile_options", "incremental_vacuum":
      self = .question
    case "user_version":
      self = .version
    case "application_id", "schema_version", "data_version", "encoding",
      "page_count", "freelist_count", "synchronous", "locking_mode":
      self = .readOnly
    case "recursive_triggers", "legacy_alter_table", "case_sensitive_like", "automatic_index",
      "cache_size", "analysis_limit":
      self = .setting
    case "journal_mode":
      // OFF and MEMORY lose the database in a crash.
      self = .journalMode(["wal", "delete", "truncate", "persist"])
    case "auto_vacuum", "page_size":
      self = .alone
    case "wal_checkpoint":
      self = .aloneAction
    default:
      return nil
    }
  }

  /// What a script needs, so that the pragma answers the same in one boot as in many.
  ///
  /// With `auto_vacuum` a file shrinks when it is committed. `optimize` analyzes the tables that the
  /// connection has queried, and the lists grow with what it has used.
  static func need(of name: String) -> ScriptGuard.Need? {
    switch name {
    case "page_count", "freelist_count": .ownTransaction
    case "optimize", "module_list", "function_list", "collation_list", "database_list":
      .freshConnection
    default: nil
    }
  }
}
