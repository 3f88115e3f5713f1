internal import UpliftSystem

/// A seed that SQLite reads, and that no process may change meanwhile.
struct UnchangedSeed {
  let seed: Seed
  /// The file at the beginning; nil for a seed of bytes, which cannot change.
  private let facts: FileFacts?

  /// Fails if the seed is not the one that the upgrade was planned with, which had this header, or
  /// not the backup that was checked.
  init(_ seed: Seed, header: DatabaseHeader, backup: FileFacts? = nil) throws(UpgradeError) {
    self.seed = seed
    facts = try Self.facts(of: seed)
    guard backup == nil || facts == backup, try SeedFile.header(of: seed) == header
    else { throw changed }
  }

  /// Fails if the file was replaced or written since the beginning.
  func check() throws(UpgradeError) {
    guard try Self.facts(of: seed) == facts else { throw changed }
  }

  private var changed: UpgradeError { .seed(file: seed.name, .changed) }

  private static func facts(of seed: Seed) throws(UpgradeError) -> FileFacts? {
    guard case .file(let path) = seed.source else { return nil }
    return try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }
}
