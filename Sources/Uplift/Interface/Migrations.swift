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
  /// All steps form one set and run in the order of their numbers. It is an error if two steps have
  /// the same number, or if some numbers are plain and some are dotted. A number in Swift is dotted
  /// if it is written as text with a dot, for example `"1.4.2"`, and plain otherwise.
  public struct Migrations: Sendable {
    package enum Source: Sendable {
      case directory(String)
      case scripts([(name: String, text: String)])
      case steps([Migration])
    }

    package let sources: [Source]

    /// The steps of an array that the program has built.
    ///
    /// For steps that are written out, use an array literal.
    public init(_ steps: [Migration]) {
      sources = steps.isEmpty ? [] : [.steps(steps)]
    }

    init(sources: [Source]) {
      self.sources = sources
    }

    /// The numbered `.sql` files of a directory.
    ///
    /// With a target, an upgrade lists the directory only if the database is not at the target.
    public static func directory(_ path: String) -> Migrations {
      Migrations(sources: [.directory(path)])
    }

    /// The texts of scripts that the program carries in itself, each with the name of its file.
    ///
    /// The names have the same rules as in a directory: the number comes first, and the ending is
    /// `.sql`. Errors name the script and its line.
    public static func scripts(_ scripts: [(name: String, text: String)]) -> Migrations {
      Migrations(sources: [.scripts(scripts)])
    }

    /// All steps of both operands, as one set.
    public static func + (left: Migrations, right: Migrations) -> Migrations {
      Migrations(sources: left.sources + right.sources)
    }
  }
}

extension Upgrader.Migrations: ExpressibleByArrayLiteral {
  /// The steps of an array literal.
  public init(arrayLiteral steps: Upgrader.Migration...) {
    self.init(steps)
  }
}
