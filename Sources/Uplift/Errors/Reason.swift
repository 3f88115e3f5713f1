package import UpliftSQLite

extension UpgradeError {
  /// The reason why a script failed.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// SQLite reported an error for a statement: correct the statement.
    case sqlite(SQLiteMessage)
    /// The script has a statement that no script may run: remove or replace it.
    case refused(Refused)
    /// A statement rolled the transaction back (`OR ROLLBACK`, `RAISE(ROLLBACK)`): correct the
    /// script.
    ///
    /// `words` are the message of SQLite, if there is one.
    case transactionEnded(words: String?)
    /// The script has a `BEGIN` without a `COMMIT`.
    ///
    /// Remove the `BEGIN`, because each script runs in a transaction; a `no-transaction` script
    /// must commit.
    case uncommitted
    /// The script made orphans: correct the rows in the script, or the foreign keys.
    ///
    /// Orphans from before the script are not counted.
    case foreignKeys(ForeignKeyViolations)
    /// A step in Swift threw an error that is not Uplift's; `words` are its text.
    case thrown(words: String)
    /// A step in Swift made a call that cannot work: correct the call.
    case call(CallProblem)
  }

  /// SQLite's message about a statement that failed.
  public struct SQLiteMessage: Hashable, Sendable {
    /// The extended result code, which sqlite.org/rescode.html explains.
    public let code: Int32
    /// The name of the code, for example `SQLITE_CONSTRAINT_UNIQUE`.
    public let name: String
    /// The message of SQLite.
    public let words: String
  }
}

/// The reason, made from its facts.
extension UpgradeError.Reason {
  package static func sqlite(code: Int32, name: String, words: String) -> UpgradeError.Reason {
    .sqlite(UpgradeError.SQLiteMessage(code: code, name: name, words: words))
  }
}

extension UpgradeError {
  /// A statement that no script may run; remove or replace it, as the ``UpgradeError/remedy`` says.
  ///
  /// Most of these statements would break the guarantee that a script is committed together with
  /// its version. Some of them may be in a `no-transaction` script.
  public struct Refused: Hashable, Sendable {
    package let refusal: Refusal

    package init(_ refusal: Refusal) {
      self.refusal = refusal
    }

    /// What is refused: `ROLLBACK`, `SAVEPOINT`, `VACUUM INTO`, a pragma, a parameter, a trigger,
    /// an index, a change of the schema, or a table of the seed.
    ///
    /// A pragma has its name in lower case: `PRAGMA user_version`. If only the value is refused, it
    /// follows: `PRAGMA journal_mode=off`. A parameter is as it is written: `?1` or `:name`.
    public var name: String {
      switch refusal {
      case .transaction(let operation): operation
      case .savepoint: "SAVEPOINT"
      case .attach: "ATTACH"
      case .detach: "DETACH"
      case .vacuumInto: "VACUUM INTO"
      case .notAlone: "no-transaction"
      case .pragma(let name), .pragmaInTransaction(let name): "PRAGMA \(name)"
      case .parameter(let name): name
      case .seedChange(let table): table.isEmpty ? "seed" : "seed.\(table)"
      case .schemaChange(let words): words
      }
    }
  }
}

/// The reason, made from its facts.
extension UpgradeError.Reason {
  package static func refused(_ refusal: Refusal) -> UpgradeError.Reason {
    .refused(UpgradeError.Refused(refusal))
  }
}

extension UpgradeError.Refused {
  /// One line that says what to do, and why the statement is refused.
  var remedy: String {
    switch refusal {
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
