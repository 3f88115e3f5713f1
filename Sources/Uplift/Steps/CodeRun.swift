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
