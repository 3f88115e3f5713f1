internal import UpliftSQLite

/// Its short name inside the package.
package typealias Database = Upgrader.Database

extension Upgrader {
  /// The database for a step in Swift, inside the transaction that also sets the version.
  ///
  /// **A step is committed completely or not at all.** If it throws, all its changes are undone.
  /// Statements that would break this are refused: `BEGIN`, `COMMIT`, `SAVEPOINT`, `ATTACH`, and
  /// setting `user_version`. A statement that rolls the transaction back (`OR ROLLBACK`) ends the
  /// step, even if the step catches the error. With SQLite before 3.50.2, a statement that fails
  /// after it has written much in WAL mode does so, too.
  ///
  /// **Foreign keys are off** during the step, as SQLite's procedure for schema changes requires,
  /// and are checked afterwards. Older orphans are tolerated; new ones fail the step.
  ///
  /// The value cannot be kept after the step. Names of tables and columns are quoted; arguments that
  /// are called `sql` are taken as they are.
  public struct Database: ~Copyable {
    /// Valid while the step runs, as is this value.
    let connection: UnsafePointer<Connection>
    let step: CodeRun
  }
}

extension Upgrader.Database {
  /// Runs any number of statements and ignores their rows; with arguments, exactly one statement.
  public borrowing func execute(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(SQL(sql), arguments, at: SourceLocation(file: file, line: line))
  }

  /// Runs one statement and returns all its rows.
  public borrowing func query(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) -> [Row] {
    var rows: [Row] = []
    let location = SourceLocation(file: file, line: line)
    try execute(SQL(sql), arguments, at: location, isQuery: true) { row in
      rows.append(row)
      return true
    }
    return rows
  }

  /// Runs one statement and passes its rows to `body` one by one, if memory cannot hold them all.
  ///
  /// If `body` writes into the table that is read, later rows may or may not include the changes.
  public borrowing func query<Failure: Error>(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line,
    _ body: (Row) throws(Failure) -> Void
  ) throws {
    var failure: Failure?
    let location = SourceLocation(file: file, line: line)
    try execute(SQL(sql), arguments, at: location, isQuery: true) { row in
      do throws(Failure) {
        try body(row)
      } catch {
        failure = error
      }
      return failure == nil
    }
    if let failure { throw failure }
  }

  /// Lends the `sqlite3 *` to C functions, or to a library that works on an existing connection.
  ///
  /// The connection stays in the step's transaction, and the guard still refuses statements. The
  /// handle must not be closed or kept, and every statement must be finalized. Uplift cannot see
  /// which rows change through the handle, so it checks all foreign keys, before and after.
  ///
  /// In WAL mode, with SQLite before 3.50.2, throw the error of a statement that fails after it has
  /// written more than SQLite's cache holds: Uplift cannot see it here. If the step goes on, its
  /// commit may be lost when all programs that have the database open are killed.
  public borrowing func withHandle<Result>(
    file: String = #fileID, line: Int = #line, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    try step.check()
    connection.pointee.scriptGuard.lend()
    let result = Swift.Result { try body(connection.pointee.lent) }
    try step.check()
    guard connection.pointee.isInTransaction else {
      let call = step.place(SourceLocation(file: file, line: line))
      throw step.ending(step.errors.transactionEnded(at: call))
    }
    return try result.get()
  }

  /// Values for the parameters of a statement, exactly one for each.
  ///
  /// `[name, 7, nil]` gives them by position, and `["name": name]` by name.
  public struct Arguments: Sendable {
    let values: [(name: String?, value: Value)]

    /// Values by position; nil is `NULL`.
    public init(_ values: [(any Storable)?]) {
      self.values = values.map { (nil, $0?.upliftValue ?? .null) }
    }
  }

  /// One row of a query, which may be kept after the query.
  ///
  /// ```swift
  /// let name: String = try row["name"]
  /// let born: Int? = try row["born"]  // nil for NULL
  /// let value = try row["name"]  // a Value of any kind
  /// ```
  ///
  /// An error about a missing column or another type has the location of the access.
  public struct Row: Sendable {
    let names: [Name]
    /// The values, in the order of the columns.
    public let values: [Value]
    // For errors.
    let step: String
    let reached: Version
    let statement: String

    /// The names of the columns, as the statement spells them, with U+FFFD for bytes that are not
    /// UTF-8; give such a column another name with `AS`.
    public var columns: [String] { names.map(\.shown) }

    /// The value of the first column with this name, as the type that the context asks for.
    ///
    /// Names are compared as SQLite does: byte for byte, but `A` to `Z` equal `a` to `z`.
    public subscript<Wanted: Storable>(
      _ column: String, file: String = #fileID, line: Int = #line
    ) -> Wanted {
      get throws(UpgradeError) {
        let location = SourceLocation(file: file, line: line)
        let value = try value(of: column, at: location)
        if let wanted = Wanted(upliftValue: value) { return wanted }
        if case .rawText = value {
          throw error(
            "column \(column.quoted) holds text that is not UTF-8",
            fix: "in the statement, read its bytes with CAST(… AS BLOB), or repair the text",
            at: location)
        }
        throw error(
          "column \(column.quoted) holds \(value.kind), \(Wanted.self) was wanted",
          fix: "ask for the type that was found, or for an optional if the value may be NULL",
          at: location)
      }
    }

    /// The value of the first column with this name, as it is stored.
    @_disfavoredOverload
    public subscript(_ column: String, file: String = #fileID, line: Int = #line) -> Value {
      get throws(UpgradeError) {
        try value(of: column, at: SourceLocation(file: file, line: line))
      }
    }

    private func value(
      of column: String, at location: SourceLocation
    ) throws(UpgradeError) -> Value {
      guard let index = names.firstIndex(of: Name(column)) else {
        throw error(
          "the row has no column \(column.quoted)",
          fix: "name the column in the statement, with AS if it is an expression", at: location)
      }
      return values[index]
    }

    private func error(
      _ message: String, fix: String, at location: SourceLocation
    ) -> UpgradeError {
      UpgradeError(
        .failed, message, fix: fix, at: .init(call: location, of: step, statement),
        reached: reached)
    }
  }
}

extension Upgrader.Database.Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Values by position; nil is `NULL`.
  public init(arrayLiteral values: (any Upgrader.Database.Storable)?...) { self.init(values) }

  /// Values by the names of their parameters, without `:`, `@` or `$`; nil is `NULL`.
  public init(dictionaryLiteral values: (String, (any Upgrader.Database.Storable)?)...) {
    self.values = values.map { ($0.0, $0.1?.upliftValue ?? .null) }
  }
}
