internal import UpliftSQLite
internal import UpliftSystem

/// One run of a step in Swift: its code, and the calls that the code makes.
final class CodeRun {
  let script: Script
  let path: String
  let reached: Version
  let deadline: Deadline
  /// The error that ends the step, even if the step catches it.
  var endingError: UpgradeError?
  /// The latest error that a call has thrown.
  var latest: UpgradeError?

  init(_ script: Script, path: String, reached: Version, deadline: Deadline) {
    self.script = script
    self.path = path
    self.reached = reached
    self.deadline = deadline
  }

  /// Calls the step's code under the guard.
  func run(on connection: borrowing Connection) throws(UpgradeError) {
    guard let code = script.code else { return }
    connection.scriptGuard.begin(.code)
    connection.refuseCommits(true)
    defer {
      connection.refuseCommits(false)
      connection.scriptGuard.end()
    }
    do {
      try withUnsafePointer(to: connection) { pointer in try code(Database(pointer, self)) }
    } catch {
      connection.resetStatements()
      throw outcome(of: error)
    }
    if let endingError { throw endingError }
    let call = StepCall(script.migration.location)
    if deadline.mustStopNow { throw ending(.cancelled, at: call) }
    if let error = endStatements(connection, call) { throw error }
  }

  /// Fails if the step left a statement that has not run to its end.
  ///
  /// Uplift's own statements have ended. The blobs that virtual tables keep open do not belong to
  /// the step.
  private func endStatements(
    _ connection: borrowing Connection, _ call: StepCall
  ) -> UpgradeError? {
    guard connection.hasBusyStatement else { return nil }
    do throws(SQLiteError) {
      try connection.scriptGuard.unwatched { () throws(SQLiteError) in
        try connection.closeBlobsOfVirtualTables()
      }
    } catch {
      // SQLite begins no savepoint while a statement writes. That statement is counted below.
      guard error.code.primary == .busy else { return explain(error, at: call, connection) }
    }
    guard connection.resetStatements() == 0 else { return self.error(.statementLeft, at: call) }
    return nil
  }

  /// Runs one statement after the other.
  func execute(
    _ sql: SQL, _ arguments: Database.Arguments, at location: SourceLocation,
    on connection: borrowing Connection
  ) throws(UpgradeError) {
    let text = try text(sql, at: location)
    var count = 0
    try text.withText { start throws(UpgradeError) in
      var position = start
      while position.pointee != 0 {
        let offset = position - start
        guard let statement = try prepare(text, &position, start, location, connection) else {
          continue
        }
        let call = StepCall(location, text.statement(from: offset, to: position - start))
        if count > 0 || position.pointee != 0, !arguments.values.isEmpty {
          try checkIsLast(text, position - start, call)
        }
        count += 1
        try bind(arguments, to: statement, call, connection)
        connection.forgetEarlyPages()
        while try advance(statement, call, connection) {}
      }
    }
    guard count > 0 else { throw error(.noStatement, at: StepCall(location, sql.shown)) }
  }

  /// Runs one statement, and hands over its rows until it is told to stop.
  func query(
    _ sql: SQL, _ arguments: Database.Arguments, at location: SourceLocation,
    on connection: borrowing Connection, _ wantsMore: (Database.Row) -> Bool
  ) throws(UpgradeError) {
    let text = try text(sql, at: location)
    try text.withText { start throws(UpgradeError) in
      var position = start
      guard let statement = try prepare(text, &position, start, location, connection) else {
        throw error(.noStatement, at: StepCall(location, sql.shown))
      }
      let call = StepCall(location, text.statement(from: 0, to: position - start))
      try checkIsLast(text, position - start, call)
      try bind(arguments, to: statement, call, connection)
      connection.forgetEarlyPages()
      let origin = Database.Origin(
        script: script.migration.name, reached: reached, statement: call.statement)
      let names = (0..<statement.columnCount).map { statement.name(ofColumn: $0) }
      while try advance(statement, call, connection) {
        let values = names.indices.map { statement.value($0) }
        let row = Database.Row(names: names, values: values, origin: origin)
        if !wantsMore(row) { break }
      }
    }
  }
}

/// The work that all calls of a step share.
extension CodeRun {
  /// The text of a call.
  ///
  /// SQLite would stop at a zero byte, so the text must have none.
  func text(_ sql: SQL, at location: SourceLocation) throws(UpgradeError) -> ScriptBytes {
    if let endingError { throw endingError }
    guard !sql.bytes.contains(0) else { throw error(.zeroByte, at: StepCall(location, sql.shown)) }
    return ScriptBytes(sql.bytes)
  }

  /// Prepares the next statement; nil if only blanks and comments are left.
  func prepare(
    _ text: ScriptBytes, _ position: inout UnsafePointer<CChar>, _ start: UnsafePointer<CChar>,
    _ location: SourceLocation, _ connection: borrowing Connection
  ) throws(UpgradeError) -> Statement? {
    let offset = position - start
    let call = { StepCall(location, text.statement(from: offset, to: text.count)) }
    if deadline.mustStopNow { throw ending(.cancelled, at: call()) }
    connection.scriptGuard.beginStatement(at: 0)
    do {
      return try connection.prepareNext(at: &position)
    } catch {
      throw explain(error, at: call(), connection)
    }
  }

  /// Throws if another statement follows.
  func checkIsLast(
    _ text: ScriptBytes, _ offset: Int, _ call: StepCall
  ) throws(UpgradeError) {
    guard StatementCheck.isBlank(text, from: offset) else {
      throw error(.severalStatements, at: call)
    }
  }

  /// Binds the arguments of a call to the parameters of its statement.
  func bind(
    _ arguments: Database.Arguments, to statement: borrowing Statement, _ call: StepCall,
    _ connection: borrowing Connection
  ) throws(UpgradeError) {
    let values = try values(arguments, for: statement, call)
    do throws(SQLiteError) {
      for (index, value) in values.enumerated() {
        try statement.bind(value, at: index + 1)
      }
    } catch {
      throw explain(error, at: call, connection)
    }
  }

  /// The values of the parameters, in the order of the parameters.
  ///
  /// It throws if a parameter has no value, or if a value has no parameter.
  private func values(
    _ arguments: Database.Arguments, for statement: borrowing Statement, _ call: StepCall
  ) throws(UpgradeError) -> [Database.Value] {
    let count = statement.parameterCount
    guard arguments.values.contains(where: { $0.name != nil }) else {
      guard arguments.values.count == count else {
        throw error(.parameterCount(count, given: arguments.values.count), at: call)
      }
      return arguments.values.map(\.value)
    }
    // SQLite compares the names of parameters byte for byte.
    var left: [[UInt8]: Database.Value] = [:]
    for (name, value) in arguments.values { left[Array((name ?? "").utf8)] = value }
    var values: [Database.Value] = []
    for index in 0..<count {
      let name = statement.name(ofParameter: index + 1)
      guard let value = left.removeValue(forKey: Array(name.utf8)) else {
        throw error(.noValue(name), at: call)
      }
      values.append(value)
    }
    if let name = left.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
      throw error(.noParameter(String(decoding: name, as: UTF8.self)), at: call)
    }
    return values
  }

  /// Runs a statement to its next row; false at its end.
  ///
  /// Afterwards the transaction must still be open.
  func advance(
    _ statement: borrowing Statement, _ call: StepCall, _ connection: borrowing Connection
  ) throws(UpgradeError) -> Bool {
    if let endingError { throw endingError }
    connection.scriptGuard.isStepping = true
    defer { connection.scriptGuard.isStepping = false }
    let hasRow: Bool
    do {
      hasRow = try statement.step()
    } catch {
      throw explain(error, at: call, connection)
    }
    guard connection.isInTransaction else {
      throw ending(.reason(.transactionEnded(words: nil)), at: call)
    }
    return hasRow
  }

  /// Lends the connection to the step.
  ///
  /// The guard still decides which statements may run.
  func lend<Result>(
    _ connection: borrowing Connection, at location: SourceLocation,
    _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    if let endingError { throw endingError }
    let call = StepCall(location)
    connection.scriptGuard.lend()
    let result = Swift.Result { try body(connection.lent) }
    if deadline.mustStopNow { throw ending(.cancelled, at: call) }
    guard connection.isInTransaction else {
      throw ending(.reason(.transactionEnded(words: nil)), at: call)
    }
    return try result.get()
  }
}

/// The errors of a step, with the location of the call.
extension CodeRun {
  /// What an error of SQLite means for the step.
  func explain(
    _ error: SQLiteError, at call: StepCall, _ connection: borrowing Connection
  ) -> UpgradeError {
    if error.code.primary == .notAuthorized, let refusal = connection.scriptGuard.refusal {
      return remembered(.reason(.refused(refusal)), at: call)
    }
    if deadline.mustStopNow, error.code.primary == .interrupted {
      return ending(.cancelled, at: call)
    }
    if connection.isInTransaction {
      return connection.canUndoOnlyAll
        ? ending(.sqlite(error), at: call) : remembered(.sqlite(error), at: call)
    }
    // SQLite rolls the transaction back by itself after errors of the machine (a full disk, for
    // example), and after the error of a statement with `OR ROLLBACK` or `RAISE(ROLLBACK)`.
    return ending(
      error.code.primary.isOfMachine
        ? .sqlite(error) : .reason(.transactionEnded(words: error.message)), at: call)
  }

  /// The error of a call that cannot work.
  func error(_ problem: UpgradeError.CallProblem, at call: StepCall) -> UpgradeError {
    remembered(.reason(.call(problem)), at: call)
  }

  /// An error that ends the step, even if the step catches it.
  func ending(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = remembered(cause, at: call)
    endingError = endingError ?? error
    return error
  }

  /// Makes an error with its location, and remembers it.
  private func remembered(_ cause: ScriptFault.Cause, at call: StepCall) -> UpgradeError {
    let error = ScriptFault(script: script, offset: 0, cause: cause, call: call)
      .error(at: path, reached: reached)
    latest = error
    return error
  }

  /// The error of the upgrade for an error that the step has thrown.
  ///
  /// An error of Uplift's own calls is returned unchanged. Any other error is wrapped, with its
  /// text, unless the upgrade was cancelled: the step may have thrown because of that.
  func outcome(of thrown: any Error) -> UpgradeError {
    if let endingError { return endingError }
    if let error = thrown as? UpgradeError, isOurs(error) { return error }
    if deadline.mustStopNow { return ending(.cancelled, at: StepCall(script.migration.location)) }
    return remembered(
      .reason(.thrown(words: String(describing: thrown))), at: StepCall(script.migration.location))
  }

  /// True if the error comes from a call of this step.
  ///
  /// A step may upgrade another database, and this throws errors of the same type.
  private func isOurs(_ error: UpgradeError) -> Bool {
    if error == latest { return true }
    guard case .failed(let failure) = error else { return false }
    return failure.script == script.migration.name && failure.source != nil
      && failure.reached == reached
  }
}
