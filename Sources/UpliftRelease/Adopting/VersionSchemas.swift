internal import Uplift
internal import UpliftSQLite

/// The schemas of all versions, from each history; a database is compared with them.
struct VersionSchemas {
  private var all: [Known]
  /// The names of all indexes and tables that the scripts and the seed have made at any version.
  private let indexes: Set<Name>
  private let tables: Set<Name>
  /// The scripts whose texts can be read.
  ///
  /// One that no history has run may name an index, too.
  private let scripts: [Script]

  private struct Known {
    let version: Version
    let schema: DatabaseSchema
    /// False if the version may also have another schema.
    let isCertain: Bool
  }

  /// `first` is the lowest version that a database can have.
  init(_ histories: [SchemaHistory], from first: Version, _ scripts: ShippedScripts) {
    self.scripts = scripts.all
    all = histories.flatMap { history in
      history.schemas.filter { $0.key >= first }
        .sorted { $0.key < $1.key }
        .map { Known(version: $0.key, schema: $0.value, isCertain: true) }
    }
    let schemas = histories.flatMap { Array($0.schemas.values) }
    indexes = Set(schemas.flatMap(\.indexes))
    tables = Set(schemas.flatMap(\.tables.keys))
  }

  /// Adds the versions below the seed's that certainly have the schema of the seed, because the
  /// steps above them change rows only.
  mutating func addCertain(_ older: OlderVersions, than seed: Version) {
    let schemas = schemas(of: seed)
    all += older.certain().flatMap { version in
      schemas.map { Known(version: version, schema: $0, isCertain: true) }
    }
  }

  /// Adds the versions below the seed's that may have this schema.
  ///
  /// Otherwise a database without the changes of a step would get the version of that step, and
  /// would never get the changes.
  mutating func addOlder(
    _ older: OlderVersions, than seed: Version, with schema: DatabaseSchema
  ) throws(ReleaseError) {
    // If the history from an empty database makes the schema of the seed, its schemas of the
    // versions below the seed are the right ones.
    let isWhole = schemas(of: seed).count == 1
    let known = Set(all.map(\.version))
    for version in versions(of: schema) where version >= seed {
      let found = try older.all(withSchemaOf: version) { isWhole && known.contains($0) }
      all += found.map { Known(version: $0.version, schema: schema, isCertain: $0.isCertain) }
    }
  }

  /// The objects in a schema that are not from the scripts, and do not count as differences.
  func others(in schema: DatabaseSchema) -> OtherObjects {
    OtherObjects(in: schema, tables: tables, indexes: indexes, scripts)
  }

  func contains(_ version: Version) -> Bool { all.contains { $0.version == version } }

  /// The lowest version whose schema is known.
  var lowest: Version? { all.map(\.version).min() }

  private func schemas(of version: Version) -> Set<DatabaseSchema> {
    Set(all.filter { $0.version == version }.map(\.schema))
  }

  /// True if the version has no other schema than the known ones.
  func isCertain(of version: Version) -> Bool {
    all.contains { $0.version == version && $0.isCertain }
  }

  /// The versions that have the schema, or may have it, in order.
  func versions(of schema: DatabaseSchema) -> [Version] {
    Set(all.filter { $0.schema == schema }.map(\.version)).sorted()
  }

  /// The versions whose schemas differ least from `schema`, in order, and the differences from the
  /// last of them.
  ///
  /// If `version` is given, only that version is compared. Otherwise a version without tables is no
  /// candidate, because nobody would drop all tables to have its schema.
  func nearest(
    to schema: DatabaseSchema, at version: Version? = nil
  ) -> (versions: [Version], differences: [SchemaDifference]) {
    var nearest: (versions: [Version], differences: [SchemaDifference]) = ([], [])
    let compared = all.filter { known in
      version.map { known.version == $0 } ?? !known.schema.tables.isEmpty
    }
    let candidates =
      compared
      .map { (version: $0.version, schema: $0.schema, least: Self.least($0.schema, schema)) }
      .sorted { $0.least < $1.least }
    for one in candidates {
      if !nearest.versions.isEmpty, one.least > nearest.differences.count { break }
      let found = SchemaDifference.between(schema, one.schema)
      if nearest.versions.isEmpty || found.count < nearest.differences.count {
        nearest = ([one.version], found)
      } else if found.count == nearest.differences.count {
        if let last = nearest.versions.last, one.version > last { nearest.differences = found }
        nearest.versions = Set(nearest.versions + [one.version]).sorted()
      }
    }
    return nearest
  }

  /// A lower bound of the number of differences.
  ///
  /// Counting objects is much faster than comparing them.
  private static func least(_ one: DatabaseSchema, _ other: DatabaseSchema) -> Int {
    abs(one.tables.count - other.tables.count) + abs(one.objects.count - other.objects.count)
  }
}
