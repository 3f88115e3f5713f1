internal import Uplift
internal import UpliftSQLite

/// Recognises the version of a database that has lost it, and writes it.
struct Adopting {
  private let upgrader: Upgrader
  private let wanted: Version?
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, as wanted: Version?, isCancelled: @escaping () -> Bool) {
    self.upgrader = upgrader
    self.wanted = wanted
    self.isCancelled = isCancelled
  }

  func run() throws(ReleaseError) -> Adoption {
    let database = try translatingUpgradeError { () throws(UpgradeError) in
      try ExistingDatabase(of: upgrader, isCancelled: isCancelled)
    }
    var (version, found) = try look(at: database)
    guard version == .zero else { throw .hasVersion(database.path, version) }
    let scripts = try ShippedScripts(of: upgrader.migrations, skipsWrong: true)
    let known = try knownSchemas(scripts, database)
    while true {
      let schema = found.schema.without(known.others(in: found.schema))
      let recognised = try recognise(schema, among: known, database)
      if try write(recognised, to: database, with: found) {
        return Self.adoption(recognised, found, known)
      }
      // Another process has changed the database after it was read.
      (version, found) = try look(at: database)
      if version == recognised { return Self.adoption(version, found, known) }
      guard version == .zero else { throw .hasVersion(database.path, version) }
    }
  }

  /// Writes the version, if the database still has none, and the same schema.
  private func write(
    _ version: Version, to database: ExistingDatabase, with found: LiveSchema
  ) throws(ReleaseError) -> Bool {
    try translatingUpgradeError { () throws(UpgradeError) in
      try database.setVersion { connection throws(SQLiteError) in
        try LiveSchema(connection) == found ? version : nil
      }
    } != nil
  }

  private static func adoption(
    _ version: Version, _ found: LiveSchema, _ known: VersionSchemas
  ) -> Adoption {
    Adoption(version: version, others: names(of: known.others(in: found.schema), in: found))
  }

  private func look(
    at database: ExistingDatabase
  ) throws(ReleaseError) -> (Version, LiveSchema) {
    let found = try translatingUpgradeError { () throws(UpgradeError) in
      try database.look(acceptsUnversioned: true) { connection throws(SQLiteError) in
        try LiveSchema(connection)
      }
    }
    switch found {
    case .absent: throw .upgrade(.missingDatabase(database.path))
    case .empty: throw .holdsNothing(path: database.path)
    case .database(let version, let schema): return (version, schema)
    }
  }

  /// The schemas of the histories that lead to the target.
  private func knownSchemas(
    _ scripts: ShippedScripts, _ database: ExistingDatabase
  ) throws(ReleaseError) -> VersionSchemas {
    let target = database.target
    let histories = try SchemaHistory.all(
      of: upgrader, scripts, needed: target, claimed: wanted, isCancelled: isCancelled)
    // If a script fails, the indexes of later scripts are not known, and would be taken for an
    // operator's own.
    let whole = histories.filter { $0.schemas[target] != nil }
    guard !whole.isEmpty else {
      throw histories.lazy.compactMap(\.failure).first ?? .unknownVersion(target, target: target)
    }
    // Version 0 is no answer if the seed has a version: `up` would refuse the database as before.
    return VersionSchemas(whole, from: database.seedVersion > .zero ? 1 : .zero, scripts)
  }

  /// The version that has this schema: the wanted one, or the only one.
  ///
  /// If several versions have the schema and none is wanted, this throws.
  private func recognise(
    _ schema: DatabaseSchema, among known: VersionSchemas, _ database: ExistingDatabase
  ) throws(ReleaseError) -> Version {
    if let wanted, wanted > database.target || !known.contains(wanted) {
      throw .unknownVersion(wanted.written(like: database.target), target: database.target)
    }
    let versions = known.versions(of: schema)
    guard let version = versions.first(where: { wanted == nil || $0 == wanted }) else {
      let nearest = known.nearest(to: schema, at: wanted)
      let version = wanted ?? nearest.versions.last ?? database.target
      throw .notRecognised(
        path: database.path, wanted: wanted?.written(like: database.target),
        nearest: nearest.versions, nearest.differences.map { ObjectDifference($0, to: version) },
        lowestKnown: known.lowest ?? .zero)
    }
    guard version <= database.target else {
      throw .upgrade(.newer(version, than: database.target))
    }
    guard wanted != nil || versions.count == 1 else {
      throw .severalVersions(path: database.path, versions)
    }
    guard version > .zero else { throw .needsNoVersion(path: database.path) }
    return version
  }

  /// The objects that were not compared, for the report.
  static func names(of others: OtherObjects, in found: LiveSchema) -> [String] {
    others.indexes.map { name in
      "index \(name.shown) on \(found.schema.objects[name]?.table.shown ?? "")"
    } + (others.tables + found.litestreamTables).sorted().map { "table \($0.shown)" }
  }
}
