package import UpliftSystem

extension Upgrader {
  /// One numbered step: it brings a database from the versions below it to its own.
  ///
  /// ```swift
  /// .sql(2, "add_visits", "CREATE TABLE visits (day TEXT NOT NULL)")
  /// .code(3, "slugs") { database in try database.execute("UPDATE guests SET slug = lower(name)") }
  /// ```
  ///
  /// A step in SQL runs as a script of a directory does, and may have the same directive. A step in
  /// Swift runs in a transaction of its own, with the same promises.
  public struct Migration: Sendable {
    package enum Body: Sendable {
      case file(Path)
      case sql(String)
      case code(@Sendable (borrowing Upgrader.Database) throws -> Void)
    }

    /// The version of a database that has been through it.
    public let version: Version
    /// What the step is called: the file's name, for a script of a directory.
    public let name: String
    package let body: Body
    /// Where it is written.
    let location: SourceLocation

    /// What errors call the step: the path of a file, which can be opened; else the name.
    var path: String {
      if case .file(let path) = body { path.shown } else { name }
    }

    /// A step in SQL, of any number of statements.
    public static func sql(
      _ version: Version, _ name: String, _ sql: String,
      file: String = #fileID, line: Int = #line
    ) -> Migration {
      Migration(
        version: version, name: name, body: .sql(sql),
        location: SourceLocation(file: file, line: line))
    }

    /// A step in Swift; see ``Upgrader/Database`` for what it may do.
    ///
    /// What it throws fails the upgrade, and nothing of the step is kept. It may run again after
    /// that, so what it does outside the database must be safe to repeat.
    public static func code(
      _ version: Version, _ name: String, file: String = #fileID, line: Int = #line,
      _ body: @escaping @Sendable (borrowing Upgrader.Database) throws -> Void
    ) -> Migration {
      Migration(
        version: version, name: name, body: .code(body),
        location: SourceLocation(file: file, line: line))
    }
  }
}

extension Upgrader.Migration: Hashable {
  /// Two steps are equal if they have one version, one name, and the same file, SQL or line of Swift.
  ///
  /// Code cannot be compared, so the place where it is written stands for it.
  public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }

  private struct Identity: Hashable {
    let version: Version
    let name: String
    let file: Path?
    let text: String?
    let location: SourceLocation?
  }

  private var identity: Identity {
    switch body {
    case .file(let file):
      Identity(version: version, name: name, file: file, text: nil, location: nil)
    case .sql(let text):
      Identity(version: version, name: name, file: nil, text: text, location: nil)
    case .code: Identity(version: version, name: name, file: nil, text: nil, location: location)
    }
  }
}

/// A line of a file; of the program's source as `#fileID` names it, where it is not a script.
struct SourceLocation: Hashable {
  let file: String
  let line: Int
}
