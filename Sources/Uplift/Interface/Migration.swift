package import UpliftSystem

extension Upgrader {
  /// A numbered step, which brings a database from a lower version to the number of the step.
  ///
  /// ```swift
  /// .sql(2, "add_visits", "CREATE TABLE visits (day TEXT NOT NULL)")
  /// .code(3, "slugs") { database in try database.execute("UPDATE guests SET slug = lower(name)") }
  /// ```
  ///
  /// A step in SQL runs like a script of a directory, and may have the same directives. A step in
  /// Swift runs in a transaction of its own, and gives the same guarantees.
  public struct Migration: Sendable {
    package enum Body: Sendable {
      case file(Path)
      case sql(String)
      case code(@Sendable (borrowing Upgrader.Database) throws -> Void)
    }

    /// The version of the database after the step.
    public let version: Version
    /// The name in events and errors; for a script of a directory, the name of its file.
    public let name: String
    package let body: Body
    /// The call in Swift that made the step; for a script, its name and line 1.
    let location: SourceLocation
    /// The text of a script's file, if it was read before.
    var text: [UInt8]?

    private init(_ version: Version, _ name: String, _ body: Body, _ location: SourceLocation) {
      self.version = version
      self.name = name
      self.body = body
      self.location = location
    }

    /// A script, named by its file.
    init(script name: String, _ version: Version, _ body: Body) {
      self.init(version, name, body, SourceLocation(file: name, line: 1))
    }

    /// The step's name in an error; for a file its path, so that the reader can open it.
    package var path: String {
      if case .file(let path) = body { path.shown } else { name }
    }

    /// A step in SQL, with any number of statements.
    public static func sql(
      _ version: Version, _ name: String, _ sql: String,
      file: String = #fileID, line: Int = #line
    ) -> Migration {
      Migration(version, name, .sql(sql), SourceLocation(file: file, line: line))
    }

    /// A step in Swift; ``Upgrader/Database`` has the calls that it can make.
    ///
    /// **The step may run more than once.** Steps share a transaction. If one of them fails, all
    /// are undone, and run again one by one; if a step leaves orphans, it runs again with a count
    /// of the older orphans. So its effects outside the database must be safe to repeat.
    public static func code(
      _ version: Version, _ name: String, file: String = #fileID, line: Int = #line,
      _ body: @escaping @Sendable (borrowing Upgrader.Database) throws -> Void
    ) -> Migration {
      Migration(version, name, .code(body), SourceLocation(file: file, line: line))
    }
  }
}

extension Upgrader.Migration: Hashable {
  /// Two steps are equal if they have the same version, name, and file, SQL or line of Swift.
  ///
  /// Swift cannot compare code, so this compares the places in which two steps are written.
  public static func == (left: Self, right: Self) -> Bool {
    guard left.version == right.version, left.name == right.name else { return false }
    return switch (left.body, right.body) {
    case (.file(let one), .file(let other)): one == other
    case (.sql(let one), .sql(let other)): one == other
    case (.code, .code): left.location == right.location
    default: false
    }
  }

  /// Hashes the version and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(name)
  }
}

/// A file, for a step in Swift its `#fileID`, and a line in it.
struct SourceLocation: Hashable {
  let file: String
  let line: Int
}

extension Upgrader {
  /// The steps of an upgrade: a directory of scripts, steps in the program, or both.
  ///
  /// ```swift
  /// migrations: .directory("Resources/Migrations")
  /// migrations: [.sql(2, "add_visits", "CREATE …"), .code(3, "slugs") { database in … }]
  /// migrations: .directory("Resources/Migrations") + [.code(4, "slugs") { database in … }]
  /// migrations: .scripts([("2_add_visits.sql", "CREATE …"), ("3_index.sql", "CREATE …")])
  /// ```
  ///
  /// All steps form one set and run in the order of their numbers. No two may have the same number,
  /// and all numbers are plain or all dotted: in Swift, a text with a dot, for example `"1.4.2"`.
  public struct Migrations: Sendable {
    package enum Source: Sendable {
      case directory(String)
      case scripts([(name: String, text: String)])
      case steps([Migration])
    }

    package let sources: [Source]
    /// The directories that may have a lock file.
    package let directories: [String]

    /// The steps of an array that the program has built; if they are written out, use a literal.
    public init(_ steps: [Migration]) { self.init(steps, from: []) }

    /// Steps that were listed before, in these directories.
    package init(_ steps: [Migration], from directories: [String]) {
      self.init(sources: steps.isEmpty ? [] : [.steps(steps)], directories: directories)
    }

    private init(sources: [Source], directories: [String] = []) {
      self.sources = sources
      self.directories = directories
    }

    /// The numbered `.sql` files of a directory.
    ///
    /// With a target, an upgrade lists the directory only if the database is not at the target.
    public static func directory(_ path: String) -> Migrations {
      Migrations(sources: [.directory(path)], directories: [path])
    }

    /// The texts of scripts, each with the name of its file, by the same rules as in a directory.
    public static func scripts(_ scripts: [(name: String, text: String)]) -> Migrations {
      Migrations(sources: [.scripts(scripts)])
    }

    /// All steps of both operands, as one set.
    public static func + (left: Migrations, right: Migrations) -> Migrations {
      Migrations(
        sources: left.sources + right.sources, directories: left.directories + right.directories)
    }
  }
}

extension Upgrader.Migrations: ExpressibleByArrayLiteral {
  /// The steps of an array literal.
  public init(arrayLiteral steps: Upgrader.Migration...) { self.init(steps) }
}
