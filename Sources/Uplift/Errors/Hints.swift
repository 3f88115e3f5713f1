internal import UpliftSQLite

/// What to do about a statement that SQLite refuses, if its words show a common mistake.
package enum Hints {
  /// What to do about `ADD COLUMN … NOT NULL` without a default.
  package static let notNull =
    "give it a DEFAULT, or leave out NOT NULL; otherwise rebuild the table"

  /// The remedy for SQLite's words about a line of a script; `isNew` is true at version 0.
  static func remedy(for words: String, in line: String?, isNew: Bool) -> String? {
    // SQLite puts the index or table in front if it cannot read it: "error in index i: no such …".
    let own = ["no such function: ", "no such module: ", "no such collation sequence: "]
    return switch words {
    case _ where words.contains("within a transaction") || words.contains("inside a transaction"):
      "put -- uplift: no-transaction at the top of a script that does only this"
    case _ where words.hasPrefix("no such function: upgraded_from"):
      "put -- uplift: reads-seed at the top: only such a script has it"
    case _ where isNew && words.hasSuffix(" already exists"):
      "correct the script; or if the database has lost its version, uplift adopt finds it out"
    case _ where words.contains(": duplicate column name: "):
      "choose another name: the table has a column of that name"
    case _ where words.hasPrefix("Cannot add a NOT NULL column "): notNull
    case _ where words.hasPrefix("error in table ") && words.contains(" after "),
      _ where words.hasPrefix("Cannot add a ") || words.hasPrefix("cannot drop "):
      "rebuild the table: ALTER TABLE cannot do this"
    case _ where words.hasPrefix("no such column: ") && line?.contains("\"") == true:
      "correct the name; text stands in single quotes, or allow double-quoted strings "
        + "(doubleQuotedStrings, --double-quoted-strings)"
    case _ where own.contains { words.hasPrefix($0) || words.contains(": " + $0) }:
      "it is not part of SQLite \(Engine.version): use one that is, "
        + "or add the program's own with prepare or --load-extension"
    case _ where words.hasPrefix("error in table "):
      "rebuild the table, which SQLite cannot read; if it has text in double quotes, allow "
        + "double-quoted strings (doubleQuotedStrings, --double-quoted-strings)"
    case _ where words.hasPrefix("error in "):
      "drop it before this statement, and create it anew after it; text stands in single quotes"
    default: nil
    }
  }
}

/// The words about a statement that no script may run.
extension Refusal {
  var words: String {
    switch self {
    case .transaction(let operation): "\(operation) is not allowed in a script"
    case .attach: "ATTACH is not allowed in a script"
    case .detach: "DETACH is not allowed in a script"
    case .vacuumInto: "VACUUM INTO is not allowed in a script"
    case .pragma(let name): "PRAGMA \(name) is not allowed in a script"
    case .notAlone: "a no-transaction script holds only VACUUM and pragmas of the file"
    case .savepoint: "SAVEPOINT, RELEASE and ROLLBACK TO are not allowed in a script"
    case .pragmaInTransaction(let name): "PRAGMA \(name) does nothing inside a transaction"
    case .seedChange(table: ""): "the script changes the seed, which can only be read"
    case .seedChange(let table):
      "the script changes \(table.quoted) of the seed, which can only be read"
    case .schemaChange(let words): "\(words) is not allowed in a script that reads the seed"
    case .parameter(let name): "the parameter \(name) has no value in a script"
    }
  }

  /// What to do, and why the statement is refused.
  var remedy: String {
    switch self {
    case .transaction: "remove it: each script runs in a transaction of its own"
    case .savepoint: "remove it: a script is committed whole or not at all"
    case .attach, .detach, .vacuumInto:
      "remove it: only the database itself can be committed together with its version"
    case .notAlone:
      "move it into a script without the directive: only VACUUM, journal_mode, auto_vacuum, page_size, "
        + "wal_checkpoint, incremental_vacuum and optimize may run twice"
    case .parameter: "write the value into the script: SQLite would take NULL"
    case .seedChange(table: ""): "remove it, or name the database itself: main.NAME, ANALYZE main"
    case .seedChange(let table):
      "change main.\(table); if the database has no such table, make it in a script before this one"
    case .schemaChange:
      "put it into a script before this one, and make the seed anew, so that it has the change"
    case .pragmaInTransaction:
      "put -- uplift: no-transaction at the top of a script that does only this"
    case .pragma(let name): Self.remedy(ofPragma: name)
    }
  }

  /// The remedy for a pragma, by its name in lower case; if only its value is refused, `name=value`.
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
    // Settings of a connection or of the process.
    case "cache_spill", "cell_size_check", "count_changes", "full_column_names", "hard_heap_limit",
      "journal_size_limit", "max_page_count", "mmap_size", "read_uncommitted",
      "reverse_unordered_selects", "secure_delete", "short_column_names", "soft_heap_limit",
      "threads", "trusted_schema", "wal_autocheckpoint":
      "set it in the program: it lasts only as long as its connection, "
        + "and Uplift closes the script's connection"
    default: "remove it: Uplift does not know whether it is safe in a script"
    }
  }
}
