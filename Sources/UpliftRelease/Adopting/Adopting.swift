internal import Uplift
internal import UpliftSQLite

/// Recognises the version of a database that has lost it, and writes it.
struct Adopting {
  private let upgrader: Upgrader
  private let wanted: Version?
  private let fixtures: [String]
  private let isCancelled: () -> Bool
  /// The versions that the database may have, if it did not get one.
  private(set) var versions: [Version] = []
  /// The differences to the last of them.
  private(set) var differences: [ObjectDifference] = []

  /// `fixtures` are the directories of databases below the seed.
  init(
    _ upgrader: Upgrader, as wanted: Version?, fixtures: [String],
    isCancelled: @escaping () -> Bool
  ) {
    self.upgrader = upgrader
    self.wanted = wanted
    self.fixtures = fixtures
    self.isCancelled = isCancelled
  }

  mutating func run() throws(UpgradeError) -> Adoption {
    let database = try ExistingDatabase(of: upgrader, isCancelled: isCancelled)
    var (version, schema) = try look(at: database)
    guard version == .zero else { throw Self.hasVersion(database, version) }
    let known = try knownSchemas(database)
    while true {
      let others = known.others(in: schema)
      let recognised = try recognise(schema.without(others), among: known, database)
      let written = try database.setVersion { connection throws(SQLiteError) in
        try DatabaseSchema(connection) == schema ? recognised : nil
      }
      if written != nil { return Adoption(version: recognised, others: others.shown) }
      // Another process has changed the database after it was read.
      (version, schema) = try look(at: database)
      if version == recognised {
        return Adoption(version: version, others: known.others(in: schema).shown)
      }
      guard version == .zero else { throw Self.hasVersion(database, version) }
    }
  }

  private func look(
    at database: ExistingDatabase
  ) throws(UpgradeError) -> (Version, DatabaseSchema) {
    let found = try database.look(acceptsUnversioned: true) { connection throws(SQLiteError) in
      try DatabaseSchema(connection)
    }
    switch found {
    case .absent: throw .missingDatabase(database.path)
    case .empty:
      throw UpgradeError(
        .unversioned, "\(database.path.quoted) holds nothing, so it has no version to find out",
        fix: "run uplift up, which fills it")
    case .database(let version, let schema): return (version, schema)
    }
  }

  /// The schemas of the histories that lead to the target.
  private func knownSchemas(_ database: ExistingDatabase) throws(UpgradeError) -> VersionSchemas {
    let target = database.target
    let scripts = try ShippedScripts(of: upgrader.migrations, skipsWrong: true)
    let histories = try SchemaHistory.all(
      of: upgrader, scripts, needed: target, claimed: wanted, fixtures: fixtures,
      isCancelled: isCancelled)
    // If a script fails, the indexes of later scripts are not known, and would be taken for an
    // operator's own.
    let whole = histories.filter { $0.schemas[target] != nil }
    guard !whole.isEmpty else {
      throw histories.lazy.compactMap(\.failure).first ?? .unknownVersion(target)
    }
    // Version 0 is no answer if the seed has a version: `up` would refuse the database as before.
    return VersionSchemas(whole, from: database.seedVersion > .zero ? 1 : .zero, scripts)
  }

  /// The version that has this schema: the wanted one, or the only one.
  ///
  /// If several versions have the schema and none is wanted, this throws.
  private mutating func recognise(
    _ schema: DatabaseSchema, among known: VersionSchemas, _ database: ExistingDatabase
  ) throws(UpgradeError) -> Version {
    let wanted = wanted?.written(like: database.target)
    if let wanted {
      guard wanted <= database.target else {
        throw UpgradeError(
          .missing, "\(wanted) is above the target \(database.target)",
          fix: "name a version up to the target")
      }
      guard known.contains(wanted) else { throw .unknownVersion(wanted) }
    }
    let versions = known.versions(of: schema)
    guard let version = versions.first(where: { wanted == nil || $0 == wanted }) else {
      let nearest = known.nearest(to: schema, at: wanted)
      let version = wanted ?? nearest.versions.last ?? database.target
      self.versions = nearest.versions
      differences = nearest.differences.map { ObjectDifference($0, to: version) }
      throw notRecognised(database.path, lowestKnown: known.lowest ?? .zero)
    }
    guard version <= database.target else { throw .newer(version, than: database.target) }
    guard wanted != nil || versions.count == 1 else {
      self.versions = versions
      throw severalFit(database.path, versions, known)
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
  private static func hasVersion(_ database: ExistingDatabase, _ version: Version) -> UpgradeError {
    UpgradeError(
      .unversioned, "\(database.path.quoted) is at \(version), and has not lost its version",
      fix: "uplift status --verify compares its schema with that of the version")
  }

  private func severalFit(
    _ path: String, _ versions: [Version], _ known: VersionSchemas
  ) -> UpgradeError {
    var fix = "find out which one it is, then name it: uplift adopt --to N"
    if versions.first == .zero {
      fix = "run uplift up if no script has run on it, or name its version: uplift adopt --to N"
    } else if let lowest = versions.first, known.differInContentOnly(versions) {
      // The content may come twice, and must not stay away.
      fix =
        "only new content lies between them, so the lowest is right: "
        + "uplift adopt --to \(lowest.release ?? "\(lowest.number)")"
    }
    return UpgradeError(
      .unversioned, "\(path.quoted) has the schema of \(versions.listed)", fix: fix)
  }

  private func notRecognised(_ path: String, lowestKnown: Version) -> UpgradeError {
    // A difference may show the definition of a view.
    let texts = differences.prefix(3).map(\.description)
    var shown = texts.map { $0.count > 120 ? "\($0.prefix(119))…" : $0 }.joined(separator: ", ")
    if differences.count > 3 { shown += ", and \(differences.count - 3) more" }
    let verb = versions.count == 1 ? "is" : "are"
    let nearest = versions.isEmpty ? "" : ", the nearest \(verb) \(versions.listed)"
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
  /// The versions in a message: `3`, `3 and 4`, `1, 2, … and 9`.
  fileprivate var listed: String {
    let words = map(\.description)
    guard let last = words.last, count > 1 else { return words.first ?? "" }
    let start = count > 6 ? words.prefix(3) + ["…"] : words.dropLast()
    return start.joined(separator: ", ") + " and \(last)"
  }
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
    let scripts = try ShippedScripts(of: migrations, skipsWrong: true)
    let histories = try SchemaHistory.all(
      of: self, scripts, needed: version, claimed: version, fixtures: fixtures,
      isCancelled: isCancelled)
    let known = VersionSchemas(histories, from: .zero, scripts)
    // The schemas are compared even if a pending script fails.
    guard known.contains(version) else {
      throw histories.lazy.compactMap(\.failure).first ?? .unknownVersion(version)
    }
    let others = known.others(in: schema)
    let nearest = known.nearest(to: schema.without(others), at: version)
    return Verification(
      version: version, differences: nearest.differences.map { ObjectDifference($0, to: version) },
      others: others.shown)
  }
}
