internal import UpliftSQLite

/// What every call of a step goes through.
extension CodeRun {
  /// The text of a call, with the zero byte that SQLite stops at.
  func text(_ sql: SQL, at location: SourceLocation) throws(UpgradeError) -> ScriptBytes {
    if let end { throw end }
    guard !sql.bytes.contains(0) else { throw error(.zeroByte, at: StepCall(location, sql.shown)) }
    return ScriptBytes(sql.bytes)
  }

  /// The next statement; nil where only blanks and comments were left.
  func prepare(
    _ text: ScriptBytes, _ position: inout UnsafePointer<CChar>, _ start: UnsafePointer<CChar>,
    _ location: SourceLocation, _ connection: borrowing Connection
  ) throws(UpgradeError) -> Statement? {
    let offset = position - start
    let call = { StepCall(location, text.statement(from: offset, to: text.count)) }
    if deadline.isCancelled { throw finish(.cancelled, at: call()) }
    connection.scriptGuard.beginStatement(at: 0)
    do {
      return try connection.prepareNext(at: &position)
    } catch {
      foreignKeys?.prepareFailed(connection)
      throw explain(error, at: call(), connection)
    }
  }

  func checkIsLast(
    _ text: ScriptBytes, _ offset: Int, _ call: StepCall
  ) throws(UpgradeError) {
    guard StatementCheck.isBlank(text, from: offset) else {
      throw error(.severalStatements, at: call)
    }
  }

  func bind(
    _ arguments: Database.Arguments, to statement: borrowing Statement, _ call: StepCall,
    _ connection: borrowing Connection
  ) throws(UpgradeError) {
    let values = try values(arguments, for: statement, call)
    do throws(SQLiteError) {
      for (index, value) in values.enumerated() {
        try statement.bind(value.stored, at: index + 1)
      }
    } catch {
      throw explain(error, at: call, connection)
    }
  }

  /// A value for each parameter, in their order; every value has one.
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

  func willStep(_ connection: borrowing Connection, _ call: StepCall) throws(UpgradeError) {
    do {
      try foreignKeys?.willStep(connection)
    } catch {
      throw finish(.sqlite(error), at: call)
    }
  }

  func didStep(_ connection: borrowing Connection, _ call: StepCall) throws(UpgradeError) {
    do {
      try foreignKeys?.didStep(connection)
    } catch {
      throw finish(.sqlite(error), at: call)
    }
  }

  /// One step of a statement; after each the transaction must still be open.
  func advance(
    _ statement: borrowing Statement, _ call: StepCall, _ connection: borrowing Connection
  ) throws(UpgradeError) -> Bool {
    if let end { throw end }
    connection.scriptGuard.isStepping = true
    defer { connection.scriptGuard.isStepping = false }
    let hasRow: Bool
    do {
      hasRow = try statement.step()
    } catch {
      foreignKeys?.stepFailed(connection)
      throw explain(error, at: call, connection)
    }
    guard connection.isInTransaction else {
      throw finish(.reason(.transactionEnded(words: nil)), at: call)
    }
    return hasRow
  }

  /// Lends the connection to the step, which may do with it what the guard allows.
  func lend<Result>(
    _ connection: borrowing Connection, at location: SourceLocation,
    _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    if let end { throw end }
    let call = StepCall(location)
    do {
      try foreignKeys?.willLend(connection)
    } catch {
      throw finish(.sqlite(error), at: call)
    }
    let result = Swift.Result { try body(connection.lent) }
    if deadline.isCancelled { throw finish(.cancelled, at: call) }
    guard connection.isInTransaction else {
      throw finish(.reason(.transactionEnded(words: nil)), at: call)
    }
    return try result.get()
  }
}
