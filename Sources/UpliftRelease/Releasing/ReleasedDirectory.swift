internal import Uplift
internal import UpliftSystem

/// The directory `Released`, which stays in the repository: the seed of each release, as
/// `guestbook-3.db`, and the schema as text.
struct ReleasedDirectory {
  let path: Path

  /// The directory with this name, or else `Released` beside the directory that holds the seed and
  /// the scripts; nil if neither is a file.
  ///
  /// A directory inside that one would ship.
  init?(_ name: String?, of upgrader: Upgrader) throws(UpgradeError) {
    guard let resources = Self.resources(of: upgrader) else {
      guard let name else { return nil }
      path = Path(name)
      return
    }
    let beside = resources.bytes == Array(".".utf8) ? Path("..") : resources.parent
    let isHere = beside.bytes == Array(".".utf8)
    path = name.map { Path($0) } ?? (isHere ? Path("Released") : beside.appending("Released".utf8))
    guard let identity = try NewFile.facts(resources)?.identity else { return }
    let there = try NewFile.facts(path) == nil ? path.parent : path
    guard try NewFile.facts(there) != nil else { throw .missingDirectory(there.shown) }
    var directory = try UpgradeError.at(there) { () throws(SystemError) in
      try System.resolve(there)
    }
    while directory.bytes.count > 1 {
      if try NewFile.facts(directory)?.identity == identity {
        throw .path(
          path.shown, "is inside the resources, and would ship with them",
          fix: "name a directory beside them with --released")
      }
      directory = directory.parent
    }
  }

  /// The directory that holds the seed, or else the one that holds the directory of scripts.
  private static func resources(of upgrader: Upgrader) -> Path? {
    if case .file(let seed)? = upgrader.seed?.source { return seed.parent }
    return upgrader.migrations.directories.first.map { Path($0).parent }
  }

  func hasSeeds() throws(UpgradeError) -> Bool {
    guard try NewFile.facts(path) != nil else { return false }
    return try !StartingPoint.fixtures(in: path.shown).isEmpty
  }

  /// The directories of older databases: the released seeds, and the fixtures.
  static func older(
    than upgrader: Upgrader, _ name: String?, _ fixtures: [String]
  ) throws(UpgradeError) -> [String] {
    let released = try ReleasedDirectory(name, of: upgrader)
    guard let released, try released.hasSeeds() else { return fixtures }
    return [released.path.shown] + fixtures
  }

  /// Makes the directory if it is not there, and waits while another process writes in it.
  ///
  /// Without the lock, each of two writers would take the other's new file for a leftover.
  func lock() throws(UpgradeError) -> OpenFile {
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      _ = try System.makeDirectory(path)
      return try OpenFile.directory(path)
    }
    try directory.waitForLock(path)
    return directory
  }
}
