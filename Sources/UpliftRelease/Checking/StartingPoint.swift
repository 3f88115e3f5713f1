internal import Uplift
internal import UpliftSystem

/// A database from which an upgrade starts in a check.
enum StartingPoint: Hashable {
  case seed(path: String)
  case empty
  case fixture(Path)

  /// The name in a finding.
  var name: String {
    switch self {
    case .seed(let path): path
    case .empty: "an empty database"
    case .fixture(let path): path.shown
    }
  }

  /// All starting points: the seed, an empty database if the scripts reach back to it, and the
  /// databases in these directories.
  ///
  /// The scripts reach back to an empty database if there is no seed, or if one of them has the
  /// number 1. A seed with tables at version 0 is what they begin with.
  static func all(
    of upgrader: Upgrader, _ catalog: Catalog, fixtures: [String]
  ) throws(ReleaseError) -> [StartingPoint] {
    var points: [StartingPoint] = []
    if let seed = upgrader.seed { points.append(.seed(path: seed.name)) }
    if try reachBack(catalog, to: upgrader.seed) { points.append(.empty) }
    for directory in fixtures { points += try databases(in: Path(directory)) }
    return points
  }

  private static func reachBack(
    _ catalog: Catalog, to seed: Seed?
  ) throws(ReleaseError) -> Bool {
    guard let seed else { return true }
    let header = try upgrading { () throws(UpgradeError) in try SeedFile.header(of: seed) }
    let isFirst = header.version == .zero && header.hasTables
    return !isFirst && catalog.contains(Version(integerLiteral: 1))
  }

  private static func databases(in directory: Path) throws(ReleaseError) -> [StartingPoint] {
    let names: [[UInt8]]
    do {
      names = try System.names(in: directory)
    } catch {
      guard error.isNotThere else { throw .upgrade(UpgradeError(error, at: directory)) }
      throw .missingDirectory(path: directory.shown)
    }
    var points: [StartingPoint] = []
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let lowercase = String(decoding: name, as: UTF8.self).lowercased()
      guard name.first != UInt8(ascii: "."),
        [".db", ".sqlite", ".sqlite3", ".db3"].contains(where: { lowercase.hasSuffix($0) })
      else { continue }
      points.append(.fixture(directory.appending(name)))
    }
    return points
  }
}
