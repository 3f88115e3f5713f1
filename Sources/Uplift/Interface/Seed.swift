/// The database that a fresh data directory begins with.
///
/// Any SQLite database will do; its own `user_version` says which scripts are already in it.
public struct Seed: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case file(String)
    case bytes([UInt8])
  }

  package let source: Source

  /// How messages name it.
  var name: String {
    switch source {
    case .file(let path): path
    case .bytes: "bytes"
    }
  }

  /// A file among the program's resources; it may be read-only, and nothing is written beside it.
  public static func file(_ path: String) -> Seed {
    Seed(source: .file(path))
  }

  /// A database that the program carries in itself.
  public static func bytes(_ bytes: [UInt8]) -> Seed {
    Seed(source: .bytes(bytes))
  }
}
