internal import Uplift
internal import UpliftSQLite

/// The objects in a database that are not compared with the scripts.
struct OtherObjects {
  /// The indexes that an operator has made: on a table of the scripts, and with a name that no
  /// script uses.
  let indexes: [Name]
  /// The tables in which another tool lists its steps.
  let tables: [Name]
}

/// The schemas of all versions, from each history; a database is compared with them.
struct VersionSchemas {
  private var all: [Known]
  /// The names of all indexes and tables that the scripts and the seed have made at any version.
  private let indexes: Set<Name>
  private let tables: Set<Name>

  private struct Known {
    let version: Version
    let schema: DatabaseSchema
    /// False if the version may also have another schema.
    let isCertain: Bool
  }

  /// `first` is the lowest version that a database can have.
  init(_ histories: [SchemaHistory], from first: Version) {
    all = histories.flatMap { history in
      history.schemas.filter { $0.key >= first }
        .sorted { $0.key < $1.key }
        .map { Known(version: $0.key, schema: $0.value, isCertain: true) }
    }
    let schemas = histories.flatMap { Array($0.schemas.values) }
    indexes = Set(schemas.flatMap { $0.objects.filter { $0.value.kind == .index }.map(\.key) })
    tables = Set(schemas.flatMap(\.tables.keys))
  }

  /// Adds the versions below the seed's that may have the same schema, because the steps after them
  /// may change rows only.
  ///
  /// Otherwise a database without the new rows would get the version of the step that brings them,
  /// and would never get the rows. Without a trial, only steps count that certainly change rows
  /// only.
  mutating func addOlder(
    than seed: Version, _ upgrader: Upgrader, _ trial: StepTrial?
  ) throws(ReleaseError) {
    var isCertain = true
    let catalog = try translatingUpgradeError { () throws(UpgradeError) in
      try Catalog(of: upgrader.migrations)
    }
    let steps = catalog.steps(after: .zero, through: seed)
    for (index, step) in steps.enumerated().reversed() {
      let before = index > 0 ? steps[index - 1].version : Version(Int64(step.version.number) - 1)
      guard step.version == seed || index + 1 < steps.count, let before, before > .zero
      else { return }
      if !StepTrial.changesRowsOnly(step) {
        // If the history from an empty database makes the schema of the seed, it is the right one.
        let isKnown = contains(before) && schemas(of: step.version).count == 1
        guard let trial, !isKnown else { return }
        let outcome = try trial.run(step, after: before)
        guard outcome == .keepsSchema || outcome == .fails else { return }
        isCertain = false
      }
      all += all.filter { $0.version == step.version }.map { known in
        Known(
          version: before.written(like: seed), schema: known.schema, isCertain: isCertain)
      }
    }
  }

  /// The objects in a schema that are not from the scripts, and do not count as differences.
  func others(in schema: DatabaseSchema) -> OtherObjects {
    let own = schema.objects.filter { name, object in
      object.kind == .index && tables.contains(object.table) && !indexes.contains(name)
    }
    let tools = schema.tables.keys.filter { ToolTables.names.contains($0) && !tables.contains($0) }
    return OtherObjects(indexes: own.map(\.key).sorted(), tables: tools.sorted())
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
      guard known.isCertain else { return false }
      return version.map { known.version == $0 } ?? !known.schema.tables.isEmpty
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
