extension UpgradeError {
  /// The location and the reason of a script's failure, and the version that was reached.
  public struct Failure: Hashable, Sendable {
    /// The path of the script, or the name of a step that is not a file.
    ///
    /// The path is the directory as it was given, and the file's name.
    public let script: String
    /// The Swift file of the call that failed, as `#fileID` names it; nil for SQL.
    public let source: String?
    /// The line in the script or in the Swift file, from 1; nil if the script failed as a whole.
    public let line: Int?
    /// The column in that line, from 1; nil if the script failed as a whole.
    ///
    /// Each character counts as one column, and so does a tab. A call in Swift has column 1.
    public let column: Int?
    /// The line of the script, or the statement of a step in Swift; nil if the script failed as a
    /// whole.
    public let excerpt: Excerpt?
    /// The reason why it failed.
    public let reason: Reason
    /// The version of the database after the failure.
    public let reached: Version
    /// True for a `no-transaction` script; the changes that it made before it failed are kept.
    public let ranAlone: Bool
    /// The spelling of the name that SQLite did not find; nil for any other reason.
    package let missingName: MissingName?

    /// A failure at a location.
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

    /// A failure at a location in a line that is shown whole.
    package init(
      script: String, source: String? = nil, line: Int, column: Int, text: String,
      reason: Reason, reached: Version, ranAlone: Bool = false, missingName: MissingName? = nil
    ) {
      self.init(
        script: script, source: source, line: line, column: column,
        excerpt: Excerpt(text: text, caret: column), reason: reason, reached: reached,
        ranAlone: ranAlone, missingName: missingName)
    }

    /// A failure of the script as a whole, because no single statement is at fault.
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

  /// The spelling of a column name that SQLite did not find; the remedy depends on it.
  package enum MissingName: Hashable, Sendable {
    /// The statement has the name in double quotes, which many people use for text.
    case inDoubleQuotes
    /// The statement has the name, and it cannot be meant as text.
    case inStatement
    /// The name is not in the statement, but in a trigger, a view or an index that it uses.
    case elsewhere
  }

  /// A line of a script, and the character in it that is at fault.
  ///
  /// A long line is cut to 96 columns of a terminal around this character. `…` stands for each part
  /// that is left out.
  public struct Excerpt: Hashable, Sendable {
    /// The line, or the part of it that is shown.
    public let text: String
    /// The character of `text` that is at fault, from 1.
    ///
    /// For the end of the line, it is one more than the number of characters.
    public let caret: Int

    package init(text: String, caret: Int) {
      self.text = text
      self.caret = caret
    }
  }

  /// The reason why a script failed.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// SQLite reported an error for a statement: correct the statement.
    ///
    /// `code` is the extended result code, `name` is the code's name, for example
    /// `SQLITE_CONSTRAINT_UNIQUE`, and `words` are SQLite's message.
    case sqlite(code: Int32, name: String, words: String)
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

  /// The orphans that a script made.
  ///
  /// An orphan is a row whose foreign key leads to no row.
  public struct ForeignKeyViolations: Hashable, Sendable {
    /// The first orphans, at most ten.
    public let rows: [Violation]
    /// The number of all orphans.
    public let count: Int
    /// True if the script removed rows or a table that the orphans may have referred to.
    public let followRemoval: Bool

    package init(rows: [Violation], count: Int, followRemoval: Bool = false) {
      self.rows = rows
      self.count = count
      self.followRemoval = followRemoval
    }
  }

  /// An orphan: a row whose foreign key leads to no row.
  public struct Violation: Hashable, Sendable {
    /// The table that has the row.
    public let table: String
    /// The row's identifier; nil in a table without row identifiers.
    public let row: Int64?
    /// The columns of the foreign key.
    public let columns: [String]
    /// The table that the foreign key leads to.
    public let parent: String
    /// The problem of the foreign key itself; nil if SQLite could enforce it.
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

    /// The reason why SQLite cannot enforce a foreign key.
    @nonexhaustive
    public enum Fault: Hashable, Sendable {
      /// The table that the foreign key leads to does not exist.
      case noTable
      /// The parent lacks a column of the foreign key, or they have different numbers of columns.
      case noColumns
      /// The columns in the parent are neither its primary key nor unique.
      case noKey
    }
  }
}
