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
