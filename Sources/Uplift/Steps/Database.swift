internal import UpliftSQLite

extension Upgrader {
  /// The database, as a step in Swift gets it: inside a transaction, which also sets the version.
  ///
  /// **A step is committed whole or not at all.** What it throws undoes it. Statements that would
  /// break this are refused as they are in scripts: `BEGIN`, `COMMIT`, `SAVEPOINT`, `ATTACH`,
  /// writing `user_version`. A statement that undoes the transaction (`OR ROLLBACK`) ends the step,
  /// though its error may be caught.
  ///
  /// **Foreign keys are off**, as SQLite's procedure for schema changes wants, and checked after
  /// the step: rows that were orphans before are tolerated, new ones fail it.
  ///
  /// The value cannot be copied or kept: it ends with the step. Names of tables and columns are
  /// quoted if they are passed as names; `sql` is taken as it is.
  public struct Database: ~Copyable {
    /// Good for as long as the step runs; the value cannot outlive it.
    private let pointer: UnsafePointer<Connection>
    let run: CodeRun

    init(_ pointer: UnsafePointer<Connection>, _ run: CodeRun) {
      self.pointer = pointer
      self.run = run
    }
  }
}

extension Upgrader.Database {
  /// Runs any number of statements, and drops their rows; with arguments, one statement.
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

  /// The rows of one statement, all at once.
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

  /// The rows of one statement, one after the other: for tables that are larger than memory.
  ///
  /// What `body` writes into the table that is read may or may not be among the rows to come.
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

  /// Hands out the `sqlite3 *`, for C functions and for libraries that work on a connection of
  /// somebody else's.
  ///
  /// The connection, the transaction and the guard are the step's. The handle must not be closed
  /// and not be kept, and every statement must be finalized. All references of the database are
  /// checked before and after, for what is done with the handle is not seen as it is done.
  public borrowing func withHandle<Result>(
    file: String = #fileID, line: Int = #line, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    try run.lend(pointer.pointee, at: SourceLocation(file: file, line: line), body)
  }

  /// What SQLite says against a statement of Uplift's own, which is compiled and not run.
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
