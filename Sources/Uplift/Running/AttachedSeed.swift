internal import UpliftSQLite
internal import UpliftSystem

/// The seed while a script reads it.
///
/// The script reads the seed that the upgrade was planned with, or is not committed: the file must be
/// the same, and unchanged, when it is attached and when the script has run.
struct AttachedSeed {
  private let seed: Seed
  /// The file as it was before it was attached; nil for a seed of bytes, which cannot change.
  private let facts: FileFacts?

  /// `header` is the seed's header when the upgrade was planned.
  init(_ seed: Seed, header: DatabaseHeader) throws(UpgradeError) {
    self.seed = seed
    facts = try Self.facts(of: seed)
    guard try SeedFile.header(of: seed) == header else { throw .seed(file: seed.name, .changed) }
  }

  /// Attaches the seed, which nothing can write then.
  func attach(to connection: borrowing Connection) throws(UpgradeError) {
    do throws(SQLiteError) {
      switch seed.source {
      case .file(let path): try connection.attachSeed(Path(path).bytes)
      case .bytes(let bytes): try connection.attachSeed(bytes: bytes)
      }
    } catch {
      try checkUnchanged()
      let translated = UpgradeError(error, at: seed.name, reached: nil)
      if case .disk = translated { throw translated }
      throw .seed(file: seed.name, .malformed(words: error.message))
    }
  }

  func checkUnchanged() throws(UpgradeError) {
    guard try Self.facts(of: seed) == facts else { throw .seed(file: seed.name, .changed) }
  }

  private static func facts(of seed: Seed) throws(UpgradeError) -> FileFacts? {
    guard case .file(let name) = seed.source else { return nil }
    let path = Path(name)
    return try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }
}
