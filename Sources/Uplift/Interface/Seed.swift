package import UpliftSystem

/// The database that is copied if there is no database yet.
///
/// Any SQLite database can be a seed. Its `user_version` is the number of the last script whose
/// changes it already has. Only the scripts with a higher number run.
public struct Seed: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case file(Path)
    case bytes([UInt8])
  }

  package let source: Source

  /// The seed's name in an error: its path, or `bytes`.
  package var name: String {
    switch source {
    case .file(let path): path.shown
    case .bytes: "bytes"
    }
  }

  /// A file among the program's resources.
  ///
  /// The file and its directory may be read-only, because nothing is written there.
  public static func file(_ path: String) -> Seed {
    file(Path(path))
  }

  package static func file(_ path: Path) -> Seed { Seed(source: .file(path)) }

  /// The bytes of a database file, for a program that contains its seed.
  public static func bytes(_ bytes: [UInt8]) -> Seed {
    Seed(source: .bytes(bytes))
  }
}
