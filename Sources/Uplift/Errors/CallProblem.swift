extension UpgradeError {
  /// The reason why a call of a step in Swift cannot work.
  @nonexhaustive
  public enum CallProblem: Hashable, Sendable {
    /// The number of values that were given is not the number of parameters of the statement.
    ///
    /// Give each parameter one value.
    case parameterCount(ParameterCount)
    /// A value has this name, and the statement has no such parameter; give each parameter one
    /// value.
    case noParameter(String)
    /// The parameter with this name has no value; give each parameter one value.
    ///
    /// The name is empty for a `?`, which takes no value from values with names.
    case noValue(String)
    /// The SQL has only blanks and comments; leave the call out.
    case noStatement
    /// A call that takes one statement got several; give each a call of its own.
    ///
    /// Queries take one statement, and so does a call with values.
    case severalStatements
    /// The SQL has a zero byte, at which SQLite would stop reading; bind the text as a value.
    case zeroByte
    /// The row has no column with this name; name the column in the statement, with `AS` if it is
    /// an expression.
    case noColumn(String)
    /// The value in a column is of another type than the one that was asked for.
    ///
    /// Ask for the type that was found, or for an optional if the value may be `NULL`.
    case columnType(ColumnType)
    /// This column holds text that is not UTF-8, so that it can be read only as a `Value`.
    ///
    /// Read its bytes with `CAST(… AS BLOB)`, or repair the text.
    case notUTF8(String)
    /// The step ended before a statement on the lent handle did; call `sqlite3_finalize` in time.
    case statementLeft
    /// The table to rebuild does not exist; correct the name.
    case noTable(String)
    /// The table to rebuild is a view, a virtual table or one of SQLite's own.
    ///
    /// Drop it and create it anew.
    case notRebuildable(String)
    /// A temporary table has the name of the table to rebuild, or a temporary trigger is on it.
    ///
    /// Drop it before the rebuild.
    case temporary(String)
    /// `filling` has a value for a column that the new table does not have, or that it computes.
    ///
    /// Correct the name, or leave the value out.
    case noFillableColumn(String)
    /// No column of the new table takes a value from the old one; give at least one of them a value
    /// in `filling`.
    case nothingKept(String)
    /// The rebuilt table does not have as many rows as before, so rows would be lost.
    ///
    /// Find the `ON CONFLICT` clause in the new definition that drops rows, or delete them before.
    case rowCount(RowCount)
    /// A view or a trigger that worked before the rebuild does not work after it.
    ///
    /// Drop it before the rebuild, and create it anew after it.
    case broken(Broken)

    /// The parameters of a statement, and the values for them.
    public struct ParameterCount: Hashable, Sendable {
      /// The number of parameters of the statement.
      public let count: Int
      /// The number of values that were given.
      public let given: Int
    }

    /// A value of another type than the one that was asked for.
    public struct ColumnType: Hashable, Sendable {
      /// The column.
      public let column: String
      /// The type of the value.
      public let found: String
      /// The type that was asked for.
      public let wanted: String
    }

    /// The rows of a table that was rebuilt.
    public struct RowCount: Hashable, Sendable {
      /// The number of rows before the rebuild.
      public let before: Int64
      /// The number of rows after it.
      public let now: Int64
    }

    /// A view or a trigger that a rebuild broke.
    public struct Broken: Hashable, Sendable {
      /// Its kind and name, for example `view "v"`.
      public let object: String
      /// The message of SQLite.
      public let words: String
    }
  }
}

/// The problems, made from their facts.
extension UpgradeError.CallProblem {
  package static func parameterCount(_ count: Int, given: Int) -> UpgradeError.CallProblem {
    .parameterCount(ParameterCount(count: count, given: given))
  }

  package static func columnType(
    _ column: String, found: String, wanted: String
  ) -> UpgradeError.CallProblem {
    .columnType(ColumnType(column: column, found: found, wanted: wanted))
  }

  package static func rowCount(_ before: Int64, now: Int64) -> UpgradeError.CallProblem {
    .rowCount(RowCount(before: before, now: now))
  }

  package static func broken(_ object: String, words: String) -> UpgradeError.CallProblem {
    .broken(Broken(object: object, words: words))
  }
}

extension UpgradeError.CallProblem {
  var words: String {
    switch self {
    case .parameterCount(let values):
      "\(values.given) \(values.given == 1 ? "value" : "values") for \(values.count) "
        + (values.count == 1 ? "parameter" : "parameters")
    case .noParameter(let name): "a value for \"\(name)\", which is not a parameter"
    case .noValue(""): "a parameter has no name, but the values have names"
    case .noValue(let name): "no value for the parameter \"\(name)\""
    case .noStatement: "there is no statement"
    case .severalStatements: "several statements, one was wanted"
    case .zeroByte: "a zero byte"
    case .noColumn(let name): "the row has no column \"\(name)\""
    case .columnType(let type):
      "column \"\(type.column)\" holds \(type.found), \(type.wanted) was wanted"
    case .notUTF8(let name): "column \"\(name)\" holds text that is not UTF-8"
    case .statementLeft: "the step left a statement that has not run to its end"
    case .noTable(let name): "there is no table \"\(name)\""
    case .notRebuildable(let name): "\"\(name)\" is not an ordinary table"
    case .temporary(let name): "a temporary table or trigger uses the name of the table \"\(name)\""
    case .noFillableColumn(let name): "the new table has no column \"\(name)\" to fill"
    case .nothingKept(let name): "no column of \"\(name)\" gives a value to the new table"
    case .rowCount(let rows): "the table had \(rows.before) rows and has \(rows.now)"
    case .broken(let broken): "\(broken.object) no longer works: \(broken.words)"
    }
  }

  var remedy: String {
    switch self {
    case .parameterCount, .noParameter, .noValue: "give each parameter of the statement one value"
    case .noStatement: "leave the call out"
    case .severalStatements:
      "give each statement a call of its own; the values are for one statement"
    case .zeroByte: "bind the text as a value; SQLite would stop reading there"
    case .noColumn: "name the column in the statement, with AS if it is an expression"
    case .columnType: "ask for the type that was found, or for an optional if the value may be NULL"
    case .notUTF8: "in the statement, read its bytes with CAST(… AS BLOB), or repair the text"
    case .statementLeft: "call sqlite3_finalize before the step returns"
    case .noTable, .noFillableColumn: "correct the name"
    case .temporary: "drop the temporary table or trigger before the table is rebuilt"
    case .notRebuildable: "drop it and create it anew"
    case .nothingKept: "give the argument filling a value for at least one column of the new table"
    case .rowCount:
      "find the ON CONFLICT clause that dropped rows, or delete those rows before the rebuild"
    case .broken: "drop it before the table is rebuilt, and create it anew after"
    }
  }
}
