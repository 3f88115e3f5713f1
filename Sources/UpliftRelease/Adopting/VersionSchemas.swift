internal import Uplift
internal import UpliftSQLite

/// The schemas of all versions, from each history; a database is compared with them.
struct VersionSchemas {
  private let all: [Known]
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
  }

  /// `first` is the lowest version that a database can have.
  init(_ histories: [SchemaHistory], from first: Version, _ scripts: ShippedScripts) {
    self.scripts = scripts.all
    all = histories.flatMap { history in
      history.schemas.filter { $0.key >= first }
        .sorted { $0.key < $1.key }
        .map { Known(version: $0.key, schema: $0.value) }
    }
    let schemas = histories.flatMap { Array($0.schemas.values) }
    indexes = Set(schemas.flatMap(\.indexes))
    tables = Set(schemas.flatMap(\.tables.keys))
  }

  /// The objects in a schema that are not from the scripts, and do not count as differences.
  func others(in schema: DatabaseSchema) -> OtherObjects {
    OtherObjects(in: schema, tables: tables, indexes: indexes, scripts)
  }

  func contains(_ version: Version) -> Bool { all.contains { $0.version == version } }

  /// The lowest version whose schema is known.
  var lowest: Version? { all.map(\.version).min() }

  /// The versions that have the schema, in order.
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
