internal import UpliftSQLite

/// What the calls of one step in Swift share.
final class CodeRun {
  let script: Script
  let path: String
  let reached: Version
  let deadline: Deadline
  /// Nil if no foreign keys are to be checked.
  let foreignKeys: OrphanCheck?
  /// What ended the step, whatever the step makes of the error.
  var end: UpgradeError?
  /// The latest error that a call has thrown.
  var latest: UpgradeError?

  init(
    _ script: Script, path: String, reached: Version, deadline: Deadline, foreignKeys: OrphanCheck?
  ) {
    self.script = script
    self.path = path
    self.reached = reached
    self.deadline = deadline
    self.foreignKeys = foreignKeys
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
        try willStep(connection, call)
        while try advance(statement, call, connection) {}
        try didStep(connection, call)
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
      try willStep(connection, call)
      let origin = Database.Origin(
        script: script.migration.name, reached: reached, statement: call.statement)
      let names = (0..<statement.columnCount).map { statement.name(ofColumn: $0) }
      while try advance(statement, call, connection) {
        let values = names.indices.map { statement.value($0) }
        let row = Database.Row(names: names, values: values, origin: origin)
        if !wantsMore(row) { break }
      }
      try didStep(connection, call)
    }
  }
}
