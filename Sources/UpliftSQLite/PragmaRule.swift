/// What a script may do with a pragma; what is not listed here is refused.
enum PragmaRule {
  /// Accepted, and does nothing: foreign keys are off while scripts run, and checked after.
  case inert
  /// Asks about the database, or tends it, with or without an argument.
  case question
  /// May be read; setting it is refused.
  case readOnly
  /// Sets something on the connection, which is not used for another script afterwards.
  case setting
  /// May be read; may be set to one of these values (nil: any) where there is no transaction.
  case alone(values: Set<String>?)
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
    case "user_version", "application_id", "schema_version", "data_version", "encoding",
      "page_count", "freelist_count", "synchronous", "locking_mode":
      self = .readOnly
    case "recursive_triggers", "legacy_alter_table", "case_sensitive_like", "automatic_index",
      "cache_size", "analysis_limit":
      self = .setting
    case "journal_mode":
      // OFF and MEMORY lose the database in a crash.
      self = .alone(values: ["wal", "delete", "truncate", "persist"])
    case "auto_vacuum", "page_size":
      self = .alone(values: nil)
    case "wal_checkpoint":
      self = .aloneAction
    default:
      return nil
    }
  }
}
