internal import UpliftSQLite

extension UpgradeError.Failure: CustomStringConvertible {
  /// One clause: the location, the reason, and the version of the database.
  public var description: String {
    let location =
      switch (source, line, column) {
      case (let source?, let line?, _): "\(source):\(line): step \"\(script)\""
      case (nil, let line?, let column?): "\(script):\(line):\(column)"
      default: script
      }
    return "\(location): \(reason.words); the database is at \(reached)"
  }
}

extension UpgradeError.Reason {
  var words: String {
    switch self {
    case .sqlite(let message): "\(message.words) (\(message.name), \(message.code))"
    case .refused(let statement): statement.words
    case .transactionEnded(let words?): "the transaction was rolled back: \(words)"
    case .transactionEnded(nil): "the statement ended the transaction"
    case .uncommitted: "the script begins a transaction and does not commit it"
    case .foreignKeys(let violations):
      "\(violations.count) new foreign-key "
        + "\(violations.count == 1 ? "violation" : "violations"): "
        + violations.rows.map(\.words).joined(separator: ", ")
        + (violations.count > violations.rows.count ? ", …" : "")
    case .thrown(let words): words
    case .call(let problem): problem.words
    }
  }
}

extension UpgradeError.Refused {
  var words: String {
    switch refusal {
    case .transaction, .attach, .detach, .vacuumInto, .pragma: "\(name) is not allowed in a script"
    case .notAlone: "a no-transaction script holds only VACUUM and pragmas of the file"
    case .savepoint: "SAVEPOINT, RELEASE and ROLLBACK TO are not allowed in a script"
    case .pragmaInTransaction: "\(name) does nothing inside a transaction"
    case .seedChange(table: ""): "the script changes the seed, which can only be read"
    case .seedChange(let table):
      "the script changes \"\(table)\" of the seed, which can only be read"
    case .schemaChange(let words): "\(words) is not allowed in a script that reads the seed"
    case .parameter: "the parameter \(name) has no value in a script"
    }
  }
}

extension UpgradeError.Violation {
  var words: String {
    let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let which = row.map { "row \($0)" } ?? "a row"
    return "\(which) of \"\(table)\" (\(names)) refers to no row of \"\(parent)\"\(faultWords)"
  }

  private var faultWords: String {
    switch fault {
    case nil: ""
    case .noTable: ", which is not there"
    case .noColumns: ", which does not have the columns"
    case .noKey: ", whose columns are not a key"
    }
  }
}
