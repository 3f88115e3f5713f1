/// Where an upgrade finds its steps.
public struct Migrations: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case directory(String)
  }

  package let sources: [Source]

  /// The numbered `.sql` files of a directory; it is listed when there is work to do, not before.
  public static func directory(_ path: String) -> Migrations {
    Migrations(sources: [.directory(path)])
  }

  /// No steps: the seed is all there is.
  public static let none = Migrations(sources: [])
}
