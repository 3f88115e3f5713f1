extension UpgradeError {
  /// What a step in Swift can ask for that cannot be done.
  @nonexhaustive
  public enum CallProblem: Hashable, Sendable {
    /// So many parameters, and another number of values.
    case parameterCount(Int, given: Int)
    case noParameter(String)
    case noValue(String)
    case noStatement
    case severalStatements
    case zeroByte
    case noColumn(String)
    case columnType(String, found: String, wanted: String)
    /// A column holds text that is not UTF-8, and something else than a `Value` was asked for.
    case notUTF8(String)
    /// A statement made with the lent handle was left in the middle.
    case statementLeft
    case noTable(String)
    case notRebuildable(String)
    /// A temporary table has the name of the table to rebuild, or a temporary trigger is on it.
    case temporary(String)
    /// A value for a column that the new table does not have, or that it computes.
    case noFillableColumn(String)
    /// Nothing of the old table would be in the new one.
    case nothingKept(String)
    /// A rebuilt table has another number of rows.
    case rowCount(Int64, now: Int64)
    /// A view or a trigger that worked does not work with the rebuilt table.
    case broken(String, words: String)
  }
}

extension UpgradeError.CallProblem {
  var words: String {
    switch self {
    case .parameterCount(let count, let given):
      "\(given) \(given == 1 ? "value" : "values") for \(count) "
        + (count == 1 ? "parameter" : "parameters")
    case .noParameter(let name): "a value for \"\(name)\", which is no parameter"
    case .noValue(""): "a parameter without a name, and values that have names"
    case .noValue(let name): "no value for the parameter \"\(name)\""
    case .noStatement: "there is no statement"
    case .severalStatements: "several statements where one is wanted"
    case .zeroByte: "a zero byte"
    case .noColumn(let name): "the row has no column \"\(name)\""
    case .columnType(let name, let found, let wanted):
      "column \"\(name)\" holds \(found), \(wanted) was wanted"
    case .notUTF8(let name): "column \"\(name)\" holds text that is not UTF-8"
    case .statementLeft: "the step left a statement in the middle"
    case .noTable(let name): "there is no table \"\(name)\""
    case .notRebuildable(let name): "\"\(name)\" is not an ordinary table"
    case .temporary(let name): "something temporary has the name of the table \"\(name)\""
    case .noFillableColumn(let name): "the new table has no column \"\(name)\" to fill"
    case .nothingKept(let name): "no column of \"\(name)\" has a value in the new table"
    case .rowCount(let before, let now): "the table had \(before) rows and has \(now)"
    case .broken(let what, let words): "\(what) works no longer: \(words)"
    }
  }

  var remedy: String {
    switch self {
    case .parameterCount, .noParameter, .noValue: "give each parameter of the statement one value"
    case .noStatement: "leave the call out"
    case .severalStatements: "give each statement a call of its own; values belong to one"
    case .zeroByte: "bind the text as a value; SQLite would stop reading there"
    case .noColumn: "name the column in the statement, with AS where it is an expression"
    case .columnType: "ask for the type that is there, or for an optional where it may be NULL"
    case .notUTF8: "read its bytes: CAST(… AS BLOB) in the statement; or repair it there"
    case .statementLeft: "call sqlite3_finalize before the step returns"
    case .noTable, .noFillableColumn: "correct the name"
    case .temporary: "drop the temporary table or trigger before the table is rebuilt"
    case .notRebuildable: "drop it and create it anew"
    case .nothingKept: "say in filling: which value each new column takes from the old table"
    case .rowCount: "find the ON CONFLICT clause that dropped rows, or delete them before"
    case .broken: "drop it before the table is rebuilt, and create it anew after"
    }
  }
}
