package import UpliftSystem

/// One numbered step: what leads a database from the versions below it to its own.
///
/// ```swift
/// .sql(2, "add_visits", "CREATE TABLE visits (day TEXT NOT NULL)")
/// .code(3, "slugs") { database in try database.execute("UPDATE guests SET slug = lower(name)") }
/// ```
///
/// A step in SQL is run as a script of a directory is, and may bear the same directive. A step in
/// Swift runs in a transaction of its own, with the same promises.
public struct Migration: Sendable {
  package enum Body: Sendable {
    case file(Path)
    case sql(String)
    case code(@Sendable (borrowing Database) throws -> Void)
  }

  /// The version of a database that has been through it.
  public let version: Version
  /// What the step is called: the file's name, for a script of a directory.
  public let name: String
  package let body: Body
  /// Where it is written.
  let place: SourcePlace

  /// A step in SQL, of any number of statements.
  public static func sql(
    _ version: Version, _ name: String, _ sql: String,
    file: String = #fileID, line: Int = #line
  ) -> Migration {
    Migration(
      version: version, name: name, body: .sql(sql), place: SourcePlace(file: file, line: line))
  }

  /// A step in Swift; see ``Database`` for what it may do.
  ///
  /// What it throws fails the upgrade, and nothing of the step is kept. It may run again after
  /// that, so what it does outside the database must be safe to repeat.
  public static func code(
    _ version: Version, _ name: String, file: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (borrowing Database) throws -> Void
  ) -> Migration {
    Migration(
      version: version, name: name, body: .code(body), place: SourcePlace(file: file, line: line))
  }
}

/// A line of a file; of the program's source as `#fileID` names it, where it is not a script.
struct SourcePlace: Hashable {
  let file: String
  let line: Int
}
