extension UpgradeError.Failure: CustomStringConvertible {
  public var description: String {
    let place =
      if let source {
        "\(source):\(line): step \"\(script)\""
      } else {
        "\(script):\(line):\(column)"
      }
    return "\(place): \(reason.words); the database is at \(reached)"
  }
}

extension UpgradeError.Reason {
  var words: String {
    switch self {
    case .sqlite(let code, let name, let words): "\(words) (\(name), \(code))"
    case .refused(let statement): statement.words
    case .transactionEnded(let words?): "the transaction was rolled back: \(words)"
    case .transactionEnded(nil): "the statement ended the transaction"
    case .uncommitted: "the script begins a transaction and does not commit it"
    case .foreignKeys(let violations, let count):
      "\(count) new foreign-key \(count == 1 ? "violation" : "violations"): "
        + violations.map(\.words).joined(separator: ", ")
        + (count > violations.count ? ", …" : "")
    case .thrown(let words): words
    case .call(let problem): problem.words
    }
  }
}

extension UpgradeError.Refused {
  var words: String {
    switch self {
    case .transaction(let operation): "\(operation) is not for scripts"
    case .savepoint: "SAVEPOINT, RELEASE and ROLLBACK TO are not for scripts"
    case .attach: "ATTACH is not for scripts"
    case .detach: "DETACH is not for scripts"
    case .vacuumInto: "VACUUM INTO is not for scripts"
    case .pragma(let name): "PRAGMA \(name) is not for scripts"
    case .pragmaInTransaction(let name): "PRAGMA \(name) does nothing inside a transaction"
    }
  }
}

extension UpgradeError.Violation {
  var words: String {
    if let row { return "row \(row) of \"\(table)\" refers to no row of \"\(parent)\"" }
    return "\"\(table)\" refers to \"\(parent)\""
  }
}
