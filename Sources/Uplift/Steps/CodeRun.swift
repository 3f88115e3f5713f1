internal import UpliftSQLite
internal import UpliftSystem

/// One run of a step in Swift, with the errors of its calls.
final class CodeRun {
  let errors: StepErrors
  /// The error that ends the step, even if the step catches it.
  private(set) var endingError: UpgradeError?
  /// The latest error that a call has thrown.
  private var latest: UpgradeError?

  init(_ errors: StepErrors) { self.errors = errors }

  func run(on connection: borrowing Connection) throws(UpgradeError) {
    guard let code = errors.script.code else { return }
    connection.scriptGuard.begin(.code)
    connection.refuseCommits(true)
    defer {
      connection.refuseCommits(false)
      connection.scriptGuard.end()
    }
    do {
      try withUnsafePointer(to: connection) { pointer in
        let database = Database(connection: pointer, step: self)
        try code(database)
        try check()
        try database.endStatements()
      }
    } catch {
      connection.resetStatements()
      throw outcome(of: error)
    }
  }

  /// Fails if the step has ended already, or if the upgrade was cancelled.
  func check() throws(UpgradeError) {
    if let endingError { throw endingError }
    if errors.deadline.mustStopNow { throw ending(errors.cancelled) }
  }

  func place(_ location: SourceLocation, _ statement: String = "") -> UpgradeError.Place {
    UpgradeError.Place(call: location, of: errors.script.migration.name, statement)
  }

  /// The error of a call that cannot work.
  func wrong(_ message: String, fix: String, at call: UpgradeError.Place) -> UpgradeError {
    remembered(errors.failed(message, fix: fix, at: call))
  }

  func ending(_ error: UpgradeError) -> UpgradeError {
    endingError = endingError ?? error
    return remembered(error)
  }

  func remembered(_ error: UpgradeError) -> UpgradeError {
    latest = error
    return error
  }

  /// Wraps an error that is not of Uplift's own calls, unless the upgrade was cancelled: the step may
  /// have thrown because of that.
  private func outcome(of thrown: any Error) -> UpgradeError {
    if let endingError { return endingError }
    if let error = thrown as? UpgradeError {
      // It may be an earlier one, or one of a row; that of another upgrade is not ours.
      let isOurs =
        error.kind == .failed && error.reached == errors.reached && error.place?.source != nil
        && error.place?.file == errors.script.migration.name
      if isOurs || error == latest { return error }
    }
    if errors.deadline.mustStopNow { return errors.cancelled }
    return errors.failed(
      String(describing: thrown),
      fix: "correct the step or the data, then start again; nothing of it was kept")
  }
}

/// The statements of a step.
extension Upgrader.Database {
  /// Runs statements one after the other; with arguments or as a query, exactly one.
  ///
  /// `wantsMore` gets the rows of a query until it returns false.
  borrowing func execute(
    _ sql: SQL, _ arguments: Arguments = [], at location: SourceLocation, isQuery: Bool = false,
    _ wantsMore: (Row) -> Bool = { _ in true }
  ) throws(UpgradeError) {
    if let error = step.endingError { throw error }
    guard !sql.bytes.contains(0) else {
      throw step.wrong(
        "a zero byte", fix: "bind the text as a value; SQLite would stop reading there",
        at: step.place(location, sql.shown))
    }
    let text = ScriptBytes(sql.bytes)
    var count = 0
    try text.withText { start throws(UpgradeError) in
      var position = start
      while position.pointee != 0 {
        let offset = position - start
        try step.check()
        connection.pointee.scriptGuard.beginStatement(at: 0)
        let prepared = try attempt(
          at: step.place(location, text.statement(from: offset, to: text.count))
        ) { connection throws(SQLiteError) in try connection.prepareNext(at: &position) }
        guard let statement = prepared else { continue }
        let words = text.statement(from: offset, to: position - start)
        let call = step.place(location, words)
        let mayGoOn = !isQuery && arguments.values.isEmpty
        guard mayGoOn || text.statementStart(from: position - start) == nil else {
          throw step.wrong(
            "several statements, one was wanted",
            fix: "give each statement a call of its own; the values are for one statement",
            at: call)
        }
        count += 1
        let values = try values(arguments, for: statement, call)
        try attempt(at: call) { _ throws(SQLiteError) in
          for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        }
        connection.pointee.forgetEarlyPages()
        var names: [Name] = []
        while try advance(statement, call) {
          guard isQuery else { continue }
          if names.isEmpty {
            names = (0..<statement.columnCount).map { statement.name(ofColumn: $0) }
          }
          let row = Row(
            names: names, values: names.indices.map { statement.value($0) },
            step: step.errors.script.migration.name, reached: step.errors.reached, statement: words)
          if !wantsMore(row) { return }
        }
      }
    }
    guard count > 0 else {
      throw step.wrong(
        "there is no statement", fix: "leave the call out", at: step.place(location, sql.shown))
    }
  }

  /// The values in the order of the parameters.
  private borrowing func values(
    _ arguments: Arguments, for statement: borrowing Statement, _ call: UpgradeError.Place
  ) throws(UpgradeError) -> [Value] {
    let count = statement.parameterCount
    guard arguments.values.first?.name != nil else {
      let given = arguments.values.count
      guard given == count else {
        throw unbound(
          "\(given) \(given == 1 ? "value" : "values") for \(count) "
            + (count == 1 ? "parameter" : "parameters"), call)
      }
      return arguments.values.map(\.value)
    }
    // SQLite compares the names of parameters byte for byte.
    var left: [[UInt8]: Value] = [:]
    for (name, value) in arguments.values { left[Array((name ?? "").utf8)] = value }
    let values = try (0..<count).map { index throws(UpgradeError) in
      let name = statement.name(ofParameter: index + 1)
      guard let value = left.removeValue(forKey: Array(name.utf8)) else {
        throw unbound(
          name.isEmpty
            ? "a parameter has no name, but the values have names"
            : "no value for the parameter \(name.quoted)", call)
      }
      return value
    }
    if let bytes = left.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
      let name = String(decoding: bytes, as: UTF8.self)
      throw unbound("a value for \(name.quoted), which is not a parameter", call)
    }
    return values
  }

  private borrowing func unbound(_ message: String, _ call: UpgradeError.Place) -> UpgradeError {
    step.wrong(message, fix: "give each parameter of the statement one value", at: call)
  }

  /// Runs a statement to its next row; false at its end.
  private borrowing func advance(
    _ statement: borrowing Statement, _ call: UpgradeError.Place
  ) throws(UpgradeError) -> Bool {
    if let error = step.endingError { throw error }
    connection.pointee.scriptGuard.isStepping = true
    defer { connection.pointee.scriptGuard.isStepping = false }
    let hasRow = try attempt(at: call) { _ throws(SQLiteError) in try statement.step() }
    guard connection.pointee.isInTransaction else {
      throw step.ending(step.errors.transactionEnded(at: call))
    }
    return hasRow
  }

  /// Translates an error of SQLite into one of the call.
  borrowing func attempt<Result: ~Copyable>(
    at call: @autoclosure () -> UpgradeError.Place,
    _ work: (borrowing Connection) throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work(connection.pointee)
    } catch {
      throw explain(error, at: call())
    }
  }

  /// Fails if the step left a statement that has not run to its end.
  fileprivate borrowing func endStatements() throws(UpgradeError) {
    guard connection.pointee.hasBusyStatement else { return }
    let whole = step.errors.script.place(at: nil)
    // The blobs that virtual tables keep open count as statements, and are not the step's.
    do throws(SQLiteError) {
      try connection.pointee.scriptGuard.unwatched { () throws(SQLiteError) in
        try connection.pointee.closeBlobsOfVirtualTables()
      }
    } catch {
      // SQLite begins no savepoint while a statement writes. That statement is counted below.
      guard error.code.primary == .busy else { throw explain(error, at: whole) }
    }
    guard connection.pointee.resetStatements() == 0 else {
      throw step.wrong(
        "the step left a statement that has not run to its end",
        fix: "call sqlite3_finalize before the step returns", at: whole)
    }
  }

  private borrowing func explain(
    _ error: SQLiteError, at call: UpgradeError.Place
  ) -> UpgradeError {
    if error.code.primary == .notAuthorized, let refusal = connection.pointee.scriptGuard.refusal {
      return step.remembered(step.errors.refused(refusal, at: call))
    }
    let translated = step.errors.sqlite(error, at: call)
    if translated.kind == .cancelled { return step.ending(translated) }
    if connection.pointee.isInTransaction {
      let endsAll = connection.pointee.canUndoOnlyAll
      return endsAll ? step.ending(translated) : step.remembered(translated)
    }
    // SQLite rolls the transaction back by itself after errors of the machine (a full disk, for
    // example), and after the error of a statement with `OR ROLLBACK` or `RAISE(ROLLBACK)`.
    return step.ending(
      error.code.primary.isOfMachine
        ? translated : step.errors.transactionEnded(error.message, at: call))
  }
}
