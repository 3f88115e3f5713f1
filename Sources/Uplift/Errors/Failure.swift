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
    /// The script left rows that refer to no row, and did not before.
    case foreignKeys(ForeignKeyViolations)
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
    case workAfterCommit
    case attach
    case detach
    case vacuumInto
    case pragma(String)
    case pragmaInTransaction(String)
  }

  /// The rows that a script left without the row they refer to.
  public struct ForeignKeyViolations: Hashable, Sendable {
    /// Up to ten of them.
    public let rows: [Violation]
    /// How many there are in all.
    public let count: Int
    /// True if the script removed rows or a table that they may have referred to.
    public let followRemoval: Bool

    package init(rows: [Violation], count: Int, followRemoval: Bool = false) {
      self.rows = rows
      self.count = count
      self.followRemoval = followRemoval
    }
  }

  /// A row that refers to a row that is not there.
  public struct Violation: Hashable, Sendable {
    public let table: String
    /// Nil in a table without row identifiers.
    public let row: Int64?
    /// The columns of the foreign key.
    public let columns: [String]
    public let parent: String
    /// What is wrong with the foreign key itself; nil if SQLite could enforce it.
    public let fault: Fault?

    package init(
      table: String, row: Int64?, columns: [String], parent: String, fault: Fault? = nil
    ) {
      self.table = table
      self.row = row
      self.columns = columns
      self.parent = parent
      self.fault = fault
    }

    /// What can be wrong with a foreign key in the schema.
    @nonexhaustive
    public enum Fault: Hashable, Sendable {
      /// There is no such parent.
      case noTable
      /// The parent does not have the columns.
      case noColumns
      /// The parent's columns are neither its primary key nor unique.
      case noKey
    }
  }
}
