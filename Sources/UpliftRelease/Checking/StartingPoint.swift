internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// A database from which an upgrade starts, in a check or when the schemas of the versions are
/// made.
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

  /// The place of a finding about the whole database.
  var place: Finding.Place { Finding.Place(file: name) }

  /// The version of a fixture; nil if this is none, or no database.
  var version: Version? {
    guard case .fixture(let path) = self else { return nil }
    return try? SeedFile.header(of: .file(path)).version
  }

  /// True for a fixture that an upgrade would refuse, because it is older than the scripts.
  func isBelow(_ floor: Version) -> Bool {
    version.map { $0 > .zero && $0 < floor } ?? false
  }

  /// All starting points: the seed, an empty database if the scripts begin with one, and the
  /// databases in these directories.
  ///
  /// The scripts begin with an empty database if there is no seed, or if one of them has the number
  /// 1 and does not read the seed. A seed with tables and the version 0 takes the place of the empty
  /// database. No script could read a seed in UTF-16 from an empty database, which is in UTF-8.
  static func all(
    of upgrader: Upgrader, _ catalog: Catalog, fixtures: [String]
  ) throws(UpgradeError) -> [StartingPoint] {
    var points: [StartingPoint] = []
    if let seed = upgrader.seed { points.append(.seed(path: seed.name)) }
    if try beginsEmpty(catalog, upgrader.seed) { points.append(.empty) }
    for directory in fixtures {
      let found = try Self.fixtures(in: directory)
      guard !found.isEmpty else {
        throw UpgradeError(
          .missing, "there is no database in \(directory.quoted)",
          fix: "put old seeds there, whose names end in .db, .db3, .sqlite or .sqlite3")
      }
      points += found
    }
    return points
  }

  private static func beginsEmpty(
    _ catalog: Catalog, _ seed: Seed?
  ) throws(UpgradeError) -> Bool {
    guard let seed else { return true }
    let header = try SeedFile.header(of: seed)
    let isUnversioned = header.version == .zero && !seed.isEmpty(header)
    guard !isUnversioned, header.encoding == "UTF-8",
      let first = catalog.steps(after: .zero, through: 1).first
    else {
      return false
    }
    return try !Script(reading: first).readsSeed
  }

  static func fixtures(in path: String) throws(UpgradeError) -> [StartingPoint] {
    let directory = Path(path)
    let names: [[UInt8]]
    do {
      names = try System.names(in: directory)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: directory) }
      throw .missingDirectory(directory.shown)
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }.filter { name in
      let lowercase = String(decoding: name, as: UTF8.self).lowercased()
      return name.first != UInt8(ascii: ".")
        && [".db", ".sqlite", ".sqlite3", ".db3"].contains { lowercase.hasSuffix($0) }
    }.map { .fixture(directory.appending($0)) }
  }

  /// Copies the fixture from which the upgrade starts; otherwise the upgrade itself makes the database.
  func copy(to path: Path, _ check: Checking) throws(UpgradeError) {
    guard case .fixture(let fixture) = self else { return }
    // Throws if it is no whole database, or has a log beside it.
    _ = try SeedFile.header(of: .file(fixture))
    try ScratchDirectory.copy(.file(fixture), to: path, isCancelled: check.isCancelled)
  }
}

/// A seed that was released before.
struct OldSeed {
  let path: Path
  let version: Version

  /// Those among some starting points, in the order of their versions.
  ///
  /// `release` keeps the seed `app.db` of version 3 as `app-3.db`.
  static func all(among starts: [StartingPoint], of seed: Seed?) -> [OldSeed] {
    guard case .file(let seed)? = seed?.source else { return [] }
    var names = [VersionedName(of: seed)]
    // If the seed is a link, the name is that of the file that it leads to.
    if let file = try? System.resolve(seed) { names.append(VersionedName(of: file)) }
    let found = starts.compactMap { start -> OldSeed? in
      guard case .fixture(let path) = start,
        let version = names.lazy.compactMap({ $0.version(of: Array(path.name)) }).first,
        // A fixture that is no database is a finding of its own.
        start.version == version
      else { return nil }
      return OldSeed(path: path, version: version)
    }
    return found.sorted { $0.version < $1.version }
  }
}
