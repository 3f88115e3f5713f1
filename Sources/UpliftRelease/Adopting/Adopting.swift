internal import Uplift
internal import UpliftSQLite

/// Recognises the version of a database that has lost it, and writes it.
struct Adopting {
  let upgrader: Upgrader
  let wanted: Version?
  /// The directories of databases below the seed.
  let fixtures: [String]
  let isCancelled: () -> Bool
  /// The versions that the database may have, if it did not get one.
  private(set) var versions: [Version] = []
  /// The differences to the last of them.
  private(set) var differences: [ObjectDifference] = []

  mutating func run() throws(UpgradeError) -> Adoption {
    let database = try ExistingDatabase(of: upgrader, isCancelled: isCancelled)
    let schema = try schema(of: database)
    let known = try VersionSchemas(
      of: upgrader, database, needed: database.target, fixtures: fixtures,
      isCancelled: isCancelled)
    let others = known.others(in: schema)
    let version = try recognise(schema.without(others), among: known, database)
    let written = try database.setVersion { connection throws(SQLiteError) in
      try DatabaseSchema(connection) == schema ? version : nil
    }
    guard written != nil else {
      throw UpgradeError(
        .busy, "\(database.path.quoted) was changed while its schema was compared",
        fix: "start again")
    }
    return Adoption(version: version, others: others.shown)
  }

  private func schema(of database: ExistingDatabase) throws(UpgradeError) -> DatabaseSchema {
    let found = try database.look(acceptsUnversioned: true) { connection throws(SQLiteError) in
      try DatabaseSchema(connection)
    }
    switch found {
    case .absent: throw .missingDatabase(database.path)
    case .empty:
      throw UpgradeError(
        .unversioned, "\(database.path.quoted) holds nothing, so it has no version to find out",
        fix: "run uplift up, which fills it")
    case .database(.zero, let schema): return schema
    case .database(let version, _):
      throw UpgradeError(
        .unversioned, "\(database.path.quoted) is at \(version), and has not lost its version",
        fix: "uplift status --verify compares its schema with that of the version")
    }
  }

  /// The version that has this schema: the wanted one, or the only one.
  private mutating func recognise(
    _ schema: DatabaseSchema, among known: VersionSchemas, _ database: ExistingDatabase
  ) throws(UpgradeError) -> Version {
    let target = database.target
    let wanted = wanted?.written(like: target)
    if let wanted, !known.contains(wanted) { throw .unknownVersion(wanted) }
    let fitting = known.versions(of: schema)
    guard let version = fitting.first(where: { wanted == nil || $0 == wanted }) else {
      let nearest = known.nearest(to: schema, at: wanted)
      versions = nearest.versions
      differences = nearest.differences.map {
        ObjectDifference($0, to: wanted ?? versions.last ?? target)
      }
      throw notRecognised(database.path, lowestKnown: known.lowest)
    }
    guard version <= target else { throw .newer(version, than: target) }
    guard wanted != nil || fitting.count == 1 else {
      versions = fitting
      throw severalFit(database.path, known)
    }
    guard version > .zero else {
      throw UpgradeError(
        .unversioned, "\(database.path.quoted) is at 0 because no script has run on it",
        fix: "run uplift up, which runs the scripts")
    }
    return version
  }
}

/// The errors for a database that gets no version.
extension Adopting {
  private func severalFit(_ path: String, _ known: VersionSchemas) -> UpgradeError {
    var fix = "find out which one it is, then name it: uplift adopt --to N"
    if let lowest = versions.first, known.differInContentOnly(versions) {
      // The content may come twice, and must not stay away.
      fix =
        "only new content lies between them, so the lowest is right: "
        + "uplift adopt --to \(lowest.release ?? "\(lowest.number)")"
    }
    return UpgradeError(
      .unversioned, "\(path.quoted) has the schema of \(versions.listed)", fix: fix)
  }

  private func notRecognised(_ path: String, lowestKnown: Version) -> UpgradeError {
    var shown = differences.prefix(3).map(\.description).joined(separator: ", ")
    if differences.count > 3 { shown += ", and \(differences.count - 3) more" }
    let nearest = versions.isEmpty ? "" : ", and is nearest to \(versions.listed)"
    let has =
      wanted.map { "does not have the schema of \($0)" } ?? "has the schema of no version\(nearest)"
    // Nobody should drop rows because of this message.
    var fix =
      "change the schema until it is that of the version that the database had, then run uplift "
      + "adopt again; or if the differences are to stay, set PRAGMA user_version to that version"
    if wanted == nil, lowestKnown > 1 {
      fix =
        "if the database is older than \(lowestKnown), name a directory with the seed of its "
        + "release: uplift adopt --fixtures DIR; otherwise \(fix)"
    }
    return UpgradeError(
      .unversioned, "\(path.quoted) \(has)" + (shown.isEmpty ? "" : ": \(shown)"), fix: fix)
  }
}

extension [Version] {
  fileprivate var listed: String { map(\.description).joined(separator: ", ") }
}

extension Upgrader {
  /// Compares a database with the schema of the version that it claims.
  func verifying(
    fixtures: [String], isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> Verification? {
    let database = try ExistingDatabase(of: self, isCancelled: isCancelled)
    let found = try database.look(acceptsUnversioned: false) { connection throws(SQLiteError) in
      try DatabaseSchema(connection)
    }
    guard case .database(let version, let schema) = found else { return nil }
    let known = try VersionSchemas(
      of: self, database, needed: version, fixtures: fixtures, isCancelled: isCancelled)
    let others = known.others(in: schema)
    let nearest = known.nearest(to: schema.without(others), at: version)
    return Verification(
      version: version, differences: nearest.differences.map { ObjectDifference($0, to: version) },
      others: others.shown)
  }
}
