extension UpgradeError {
  /// A script that failed: where, at what, and what was kept.
  public struct Failure: Hashable, Sendable {
    /// The path of the script, or the name of a step that is not a file.
    ///
    /// The path is the directory as it was given, and the file's name.
    public let script: String
    /// The Swift file of the call that failed, as `#fileID` names it; nil for SQL.
    public let source: String?
    /// The place in the script or in the Swift file, from 1; nil if the script failed as a whole.
    ///
    /// A tab counts as one column, and so does any character. A call in Swift has column 1.
    public let line: Int?
    public let column: Int?
    /// The line of the script at which it failed, or the statement of a step in Swift; nil if the
    /// script failed as a whole.
    public let excerpt: Excerpt?
    public let reason: Reason
    /// The version of the database now.
    public let reached: Version
    /// True for a `no-transaction` script: what it did before it failed is kept.
    public let ranAlone: Bool
    /// Where the name stands that SQLite did not find; nil for any other reason.
    package let missingName: MissingName?

    /// A failure at a place.
    package init(
      script: String, source: String? = nil, line: Int, column: Int, excerpt: Excerpt,
      reason: Reason, reached: Version, ranAlone: Bool = false, missingName: MissingName? = nil
    ) {
      self.script = script
      self.source = source
      self.line = line
      self.column = column
      self.excerpt = excerpt
      self.reason = reason
      self.reached = reached
      self.ranAlone = ranAlone
      self.missingName = missingName
    }

    /// A failure at a place in a line that is shown whole.
    package init(
      script: String, source: String? = nil, line: Int, column: Int, text: String,
      reason: Reason, reached: Version, ranAlone: Bool = false, missingName: MissingName? = nil
    ) {
      self.init(
        script: script, source: source, line: line, column: column,
        excerpt: Excerpt(text: text, caret: column), reason: reason, reached: reached,
        ranAlone: ranAlone, missingName: missingName)
    }

    /// A failure of the script as a whole: no statement is at fault.
    package init(script: String, reason: Reason, reached: Version, ranAlone: Bool = false) {
      self.script = script
      self.reason = reason
      self.reached = reached
      self.ranAlone = ranAlone
      source = nil
      line = nil
      column = nil
      excerpt = nil
      missingName = nil
    }
  }

  /// Where a name stands that SQLite did not find: it decides what the remedy is.
  package enum MissingName: Hashable, Sendable {
    /// In double quotes, as SQL writes names and people write text.
    case inDoubleQuotes
    /// In the statement, without quotes.
    case inStatement
    /// Not in the statement: in a trigger, a view or an index that it uses.
    case elsewhere
  }

  /// A line of a script, and where in it something is wrong.
  ///
  /// A long line is cut around the place, with `…` for what is left out, to 96 columns of a
  /// terminal.
  public struct Excerpt: Hashable, Sendable {
    public let text: String
    /// The character of `text` that is at fault, from 1; one after the last is the end of the line.
    public let caret: Int

    package init(text: String, caret: Int) {
      self.text = text
      self.caret = caret
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
    case attach
    case detach
    case vacuumInto
    case pragma(String)
    case pragmaInTransaction(String)
    /// `?1` or `:name`: a script has no value for it, and SQLite would take NULL.
    case parameter(String)
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
