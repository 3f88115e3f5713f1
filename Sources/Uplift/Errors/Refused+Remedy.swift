internal import UpliftSQLite

extension UpgradeError.Refused {
  /// One line that says what to do, and why the statement is refused.
  var remedy: String {
    switch refusal {
    case .transaction: "remove it: each script runs in a transaction of its own"
    case .savepoint: "remove it: a script is committed whole or not at all"
    case .attach, .detach, .vacuumInto:
      "remove it: only the database itself can be committed together with its version"
    case .notAlone: "move it into a script without the directive"
    case .parameter: "write the value into the script: SQLite would take NULL"
    case .seedChange(table: ""): "remove it, or name the database itself: main.NAME, ANALYZE main"
    case .seedChange(let table):
      "change main.\(table); if the database has no such table, make it in a script before this one"
    case .schemaChange:
      "put it into a script before this one, and make the seed anew, so that it has the change"
    case .pragma(let name): Self.remedy(ofPragma: name)
    case .pragmaInTransaction:
      "put -- uplift: no-transaction at the top of a script that does only this"
    }
  }

  /// The remedy for a pragma, by its name in lower case and its value if only this value is
  /// refused.
  private static func remedy(ofPragma name: String) -> String {
    switch name {
    case "user_version": "remove it: the script's number is its version"
    case "application_id": "set it in the seed: it must be right before the first script runs"
    case "schema_version":
      "remove it: SQLite counts it itself, and a wrong number damages the database"
    case "writable_schema":
      "use ALTER TABLE or rebuild the table; if .dump wrote an INSERT into sqlite_schema, write "
        + "CREATE VIRTUAL TABLE instead: a schema written by hand can make the database unreadable"
    case "encoding": "remove it: the encoding of a database that exists cannot change"
    case "synchronous", "fullfsync", "checkpoint_fullfsync":
      "remove it: Uplift sets it so that a power cut loses nothing"
    case "locking_mode": "remove it: other programs could not open the database"
    case "ignore_check_constraints":
      "remove it, and correct the rows: rows that break a CHECK would be kept"
    case "busy_timeout": "remove it: Uplift waits for other programs itself (patience, --wait)"
    case "temp_store", "temp_store_directory":
      "remove it: it ends with the script's connection; SQLITE_TMPDIR moves temporary files"
    case "page_count", "freelist_count", "data_version": "remove the value: it can only be read"
    case "query_only": "remove it: the script's version could not be written"
    case _ where name.hasPrefix("journal_mode="):
      "use WAL, DELETE, TRUNCATE or PERSIST: in other modes a crash can destroy the database"
    case _ where ofConnection.contains(name):
      "set it in the program: it lasts only as long as its connection, "
        + "and Uplift closes the script's connection"
    default: "remove it: Uplift does not know whether it is safe in a script"
    }
  }

  /// Settings that belong to a connection or to the process, and not to the database.
  private static let ofConnection: Set<String> = [
    "cache_spill", "cell_size_check", "count_changes", "full_column_names", "hard_heap_limit",
    "journal_size_limit", "max_page_count", "mmap_size", "read_uncommitted",
    "reverse_unordered_selects", "secure_delete", "short_column_names", "soft_heap_limit",
    "threads", "trusted_schema", "wal_autocheckpoint",
  ]
}
