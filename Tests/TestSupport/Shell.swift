/// The sqlite3 shell, which a user would use to inspect a database.
public enum Shell {
  public struct Failure: Error {
    public let outcome: Outcome
  }

  /// Runs SQL or commands of the shell, and returns the output without its last line end.
  @discardableResult
  public static func run(_ database: String, _ sql: String) throws -> String {
    let outcome = try Command("/usr/bin/sqlite3").run("-batch", "-bail", database, input: sql)
    guard outcome.status == 0 else { throw Failure(outcome: outcome) }
    return outcome.output.last == "\n" ? String(outcome.output.dropLast()) : outcome.output
  }

  public static func version(_ database: String) throws -> Int {
    Int(try run(database, "PRAGMA user_version;")) ?? -1
  }

  /// The contents of a database, as SQL.
  public static func dump(_ database: String) throws -> String {
    try run(database, ".dump")
  }
}
