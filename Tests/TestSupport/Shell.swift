/// The sqlite3 shell: what a user would look with.
public enum Shell {
  public struct Failure: Error {
    public let outcome: Outcome
  }

  /// Runs SQL, or commands of the shell, and returns what was printed, without the last line end.
  @discardableResult
  public static func run(_ database: String, _ sql: String) throws -> String {
    let outcome = try Command("/usr/bin/sqlite3").run("-batch", "-bail", database, input: sql)
    guard outcome.status == 0 else { throw Failure(outcome: outcome) }
    return outcome.output.last == "\n" ? String(outcome.output.dropLast()) : outcome.output
  }

  public static func version(_ database: String) throws -> Int {
    Int(try run(database, "PRAGMA user_version;")) ?? -1
  }

  /// All there is in a database, as SQL.
  public static func dump(_ database: String) throws -> String {
    try run(database, ".dump")
  }
}
