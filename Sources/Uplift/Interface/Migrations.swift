extension Upgrader {
  /// Where an upgrade finds its steps: a directory of scripts, steps in the program, or both.
  ///
  /// ```swift
  /// migrations: .directory("Resources/Migrations")
  /// migrations: [.sql(2, "add_visits", "CREATE …"), .code(3, "slugs") { database in … }]
  /// migrations: .directory("Resources/Migrations") + [.code(4, "slugs") { database in … }]
  /// ```
  ///
  /// All of them are one set, ordered by number. Two steps with one number are an error that names
  /// both places, and so are plain numbers beside dotted ones. A number in Swift is dotted when it
  /// is written as text with a dot, `"1.4.2"`, and plain otherwise.
  public struct Migrations: Sendable {
    package enum Source: Sendable {
      case directory(String)
      case steps([Migration])
    }

    package let sources: [Source]

    /// Steps that the program has put together; where they are written out, an array literal does.
    public init(_ steps: [Migration]) {
      sources = steps.isEmpty ? [] : [.steps(steps)]
    }

    init(sources: [Source]) {
      self.sources = sources
    }

    /// The numbered `.sql` files of a directory; it is listed when there is work to do, not before.
    public static func directory(_ path: String) -> Migrations {
      Migrations(sources: [.directory(path)])
    }

    /// The steps of both.
    public static func + (left: Migrations, right: Migrations) -> Migrations {
      Migrations(sources: left.sources + right.sources)
    }
  }
}

extension Upgrader.Migrations: ExpressibleByArrayLiteral {
  public init(arrayLiteral steps: Upgrader.Migration...) {
    self.init(steps)
  }
}
