extension UpgradeError {
  /// A script that failed: where, at what, and what was kept.
  public struct Failure: Hashable, Sendable {
    /// The script's file, or the name of a step that is not a file.
    public let script: String
    /// The Swift file of the call that failed, as `#fileID` names it; nil for SQL.
    public let source: String?
    /// From 1; a tab and any character count as one column, and a call in Swift has column 1.
    public let line: Int
    public let column: Int
    /// The line of the script at which it failed; of a very long one, a part.
    ///
    /// The whole statement, where a step in Swift failed.
    public let text: String
    /// Where in `text` it failed, from 1: the column, but in a part of a long line.
    public let caret: Int
    public let reason: Reason
    /// The version of the database now.
    public let reached: Version
    /// True for a `no-transaction` script: what it did before it failed is kept.
    public let ranAlone: Bool

    package init(
      script: String, source: String? = nil, line: Int, column: Int, text: String,
      caret: Int? = nil, reason: Reason, reached: Version, ranAlone: Bool = false
    ) {
      self.script = script
      self.source = source
      self.line = line
      self.column = column
      self.text = text
      self.caret = caret ?? column
      self.reason = reason
      self.reached = reached
      self.ranAlone = ranAlone
    }
  }

  /// Why a script failed.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// SQLite refused a statement: its code, the code's name, its words.
    case sqlite(code: Int32, name: String, words: String)
    /// The statement is one that no script may run.
    case refused(Refused)
    /// A statement ended the transaction (`OR ROLLBACK`, `RAISE(ROLLBACK)`, a full disk).
    case transactionEnded(words: String?)
    /// The script began a transaction and did not commit it.
    case uncommitted
    /// The script left rows that refer to nothing, or a reference that cannot be checked.
    case foreignKeys(violations: [Violation], count: Int)
    /// A step in Swift threw an error of its own, which says this.
    case thrown(words: String)
    /// A step in Swift asked for what cannot be done.
    case call(CallProblem)
  }

  /// A statement that no script may run.
  @nonexhaustive
  public enum Refused: Hashable, Sendable {
    case transaction(String)
    case savepoint
    case attach
    case detach
    case vacuumInto
    case pragma(String)
    case pragmaInTransaction(String)
  }

  /// A row that refers to a row that is not there.
  public struct Violation: Hashable, Sendable {
    public let table: String
    /// Nil in a table without row identifiers, and where the reference itself is at fault.
    public let row: Int64?
    public let parent: String

    package init(table: String, row: Int64?, parent: String) {
      self.table = table
      self.row = row
      self.parent = parent
    }
  }
}
