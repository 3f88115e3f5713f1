internal import UpliftSQLite

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
