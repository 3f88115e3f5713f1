internal import UpliftSQLite

extension Upgrader {
  /// The database for a step in Swift, inside the transaction that also sets the version.
  ///
  /// **A step is committed completely or not at all.** If the step throws, all its changes are
  /// undone. Statements that would break this guarantee are refused: `BEGIN`, `COMMIT`,
  /// `SAVEPOINT`, `ATTACH`, and setting `user_version`. A statement that rolls the transaction back
  /// (`OR ROLLBACK`) ends the step, even if the step catches the error. With SQLite before 3.50.2,
  /// a statement that fails after it has written much in WAL mode does so, too.
  ///
  /// **Foreign keys are off** during the step, as SQLite's procedure for schema changes requires.
  /// They are checked afterwards. Rows that were orphans before are tolerated. If there are new
  /// orphans, the step fails.
  ///
  /// The value cannot be copied or kept after the step. Names of tables and columns are quoted.
  /// Arguments that are called `sql` are taken as they are.
  public struct Database: ~Copyable {
    /// The connection; the pointer is valid while the step runs, and so is this value.
    private let pointer: UnsafePointer<Connection>
    let run: CodeRun

    init(_ pointer: UnsafePointer<Connection>, _ run: CodeRun) {
      self.pointer = pointer
      self.run = run
    }
  }
}

extension Upgrader.Database {
  /// Runs any number of statements and ignores their rows; with arguments, exactly one statement.
  public borrowing func execute(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    try execute(SQL(sql), arguments, at: SourceLocation(file: file, line: line))
  }

  borrowing func execute(
    _ sql: SQL, _ arguments: Arguments = [], at location: SourceLocation
  ) throws(UpgradeError) {
    try run.execute(sql, arguments, at: location, on: pointer.pointee)
  }

  /// Runs one statement and returns all its rows.
  public borrowing func query(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) -> [Row] {
    try rows(SQL(sql), arguments, at: SourceLocation(file: file, line: line))
  }

  borrowing func rows(
    _ sql: SQL, _ arguments: Arguments = [], at location: SourceLocation
  ) throws(UpgradeError) -> [Row] {
    var rows: [Row] = []
    try run.query(sql, arguments, at: location, on: pointer.pointee) { row in
      rows.append(row)
      return true
    }
    return rows
  }

  /// Runs one statement and passes its rows to `body` one by one, for tables that are larger than
  /// memory.
  ///
  /// If `body` writes into the table that is being read, later rows may or may not include the
  /// changes.
  public borrowing func query<Failure: Error>(
    _ sql: String, _ arguments: Arguments = [], file: String = #fileID, line: Int = #line,
    _ body: (Row) throws(Failure) -> Void
  ) throws {
    var failure: Failure?
    let location = SourceLocation(file: file, line: line)
    try run.query(SQL(sql), arguments, at: location, on: pointer.pointee) { row in
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
  /// The connection stays in the transaction of the step, and the guard still refuses statements.
  /// The handle must not be closed or kept, and every statement must be finalized. Uplift cannot
  /// see which rows change through the handle. So it checks all foreign keys of the database,
  /// before and after.
  ///
  /// In WAL mode, with SQLite before 3.50.2, throw the error of a statement that fails after it has
  /// written more than SQLite's cache holds. Uplift cannot see it here. If the step goes on, its
  /// commit may be lost when all programs that have the database open are killed.
  public borrowing func withHandle<Result>(
    file: String = #fileID, line: Int = #line, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    try run.lend(pointer.pointee, at: SourceLocation(file: file, line: line), body)
  }

  /// Compiles a statement of Uplift itself without running it, and returns SQLite's error message;
  /// nil if there is no error.
  borrowing func complaint(about sql: SQL) -> String? {
    var words: String?
    pointer.pointee.scriptGuard.unwatched {
      ScriptBytes(sql.bytes).withText { start in
        var position = start
        do throws(SQLiteError) {
          _ = try pointer.pointee.prepareNext(at: &position)
        } catch {
          words = error.message
        }
      }
    }
    return words
  }
}

/// Its short name inside the package; see `ShortNames.swift`.
package typealias Database = Upgrader.Database

extension Upgrader.Database {
  /// Values for the parameters of a statement.
  ///
  /// `[name, 7, nil]` gives them by position, and `["name": name]` by name. There must be exactly
  /// one value for each parameter.
  public struct Arguments: Sendable {
    let values: [(name: String?, value: Value)]

    /// Values by position; nil is `NULL`.
    public init(_ values: [(any Storable)?]) {
      self.values = values.map { (nil, $0?.upliftValue ?? .null) }
    }
  }
}

extension Upgrader.Database.Arguments: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Values by position; nil is `NULL`.
  public init(arrayLiteral values: (any Upgrader.Database.Storable)?...) {
    self.init(values)
  }

  /// Values by the names of their parameters, without `:`, `@` or `$`; nil is `NULL`.
  public init(dictionaryLiteral values: (String, (any Upgrader.Database.Storable)?)...) {
    self.values = values.map { ($0.0, $0.1?.upliftValue ?? .null) }
  }
}

extension Upgrader.Database.Value {
  /// The value as a literal in SQL.
  ///
  /// Infinity is written as the sqlite3 shell writes it.
  var asLiteral: String {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return "\(number)"
    case .real(let number) where number.isNaN: return "NULL"
    case .real(let number) where number.isInfinite: return number < 0 ? "-9e999" : "9e999"
    case .real(let number): return "\(number)"
    case .text(let text): return text.asText
    case .rawText(let bytes): return "(CAST(\(Self.blob(bytes)) AS TEXT))"
    case .blob(let bytes): return Self.blob(bytes)
    }
  }

  private static func blob(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    let pairs = bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "X'\(pairs.joined())'"
  }
}
