internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The schemas that the scripts make, one for each version and starting point; a database is
/// compared with them.
///
/// The scripts run as in an upgrade, on databases in a scratch directory: on the seed, on an empty
/// database if the scripts begin with one, and on each older database in the given directories. All
/// scripts run, also those above the target, because a database may be newer.
struct VersionSchemas {
  private let scripts: ShippedScripts
  /// The versions of the scripts that read the seed.
  private let content: [Version]
  /// All steps; one that reads the seed does nothing, because it changes no schema, and cannot run
  /// with an older seed.
  private let steps: [Upgrader.Migration]
  private var all: [(version: Version, schema: DatabaseSchema)] = []
  /// All objects that the scripts and the seed have made at any version.
  private var own: Set<DatabaseSchema.Key> = []

  /// Throws if no starting point leads to the version `needed`.
  init(
    of upgrader: Upgrader, _ database: ExistingDatabase, needed: Version, fixtures: [String],
    isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let content = scripts.readingSeed.map(\.migration.version)
    self.scripts = scripts
    self.content = content
    steps = scripts.catalog.all.map { step in
      content.contains(step.version) ? .sql(step.version, step.name, "-- new content") : step
    }
    // An older database is needed only below the seed.
    let end = upgrader.seed == nil ? needed : database.seedVersion
    var failure: UpgradeError?
    for start in try StartingPoint.all(of: upgrader, scripts.catalog, fixtures: fixtures) {
      let seed: Seed? =
        switch start {
        case .seed: upgrader.seed
        case .empty: nil
        case .fixture(let path): .file(path)
        }
      let header = try seed.map { seed throws(UpgradeError) in try SeedFile.header(of: seed) }
      let first = (header?.version ?? .zero).written(like: needed)
      if case .fixture = start, first == .zero || first >= end { continue }
      if try start.isBelow(scripts.floor()) { continue }
      let run = try schemas(
        upgrader, from: seed, named: start.name, at: first, isCancelled)
      failure = failure ?? run.failure
      // If a script fails, the objects of later scripts are not known, and would be taken for an
      // operator's own.
      guard run.schemas[needed] != nil else { continue }
      // Version 0 is no answer if the seed has a version: `up` would refuse the database as before.
      all += run.schemas.filter { $0.key > .zero || database.seedVersion == .zero }
        .map { (version: $0.key, schema: $0.value) }
      for schema in run.schemas.values { own.formUnion(schema.objects.keys) }
    }
    if all.isEmpty { throw failure ?? .unknownVersion(needed) }
    all.sort { $0.version < $1.version }
  }

  /// The objects in a schema that are not from the scripts, and do not count as differences.
  func others(in schema: DatabaseSchema) -> OtherObjects {
    OtherObjects(in: schema, besides: own, scripts.all)
  }

  func contains(_ version: Version) -> Bool { all.contains { $0.version == version } }

  /// The lowest version whose schema is known.
  var lowest: Version { all.first?.version ?? .zero }

  /// The versions that have the schema, in order.
  ///
  /// A version without tables is not recognised: it has nothing to do with the database.
  func versions(of schema: DatabaseSchema) -> [Version] {
    if schema.objects.isEmpty { return [] }
    return Set(all.filter { $0.schema == schema }.map(\.version)).sorted()
  }

  /// True if only scripts that read the seed lie between the first and the last of these versions.
  func differInContentOnly(_ versions: [Version]) -> Bool {
    guard let first = versions.first, let last = versions.last else { return false }
    return scripts.catalog.steps(after: first, through: last)
      .allSatisfy { content.contains($0.version) }
  }

  /// The versions whose schemas differ least from `schema`, in order, and the differences from the
  /// last of them.
  ///
  /// If `version` is given, only that version is compared. Otherwise a version without tables is no
  /// candidate, because nobody would drop all tables to have its schema.
  func nearest(
    to schema: DatabaseSchema, at version: Version? = nil
  ) -> (versions: [Version], differences: [SchemaDifference]) {
    let compared = all.filter { known in
      version.map { known.version == $0 } ?? !known.schema.objects.isEmpty
    }.map { (version: $0.version, found: SchemaDifference.between(schema, $0.schema)) }
    let least = compared.map(\.found.count).min()
    let nearest = compared.filter { $0.found.count == least }
    return (Set(nearest.map(\.version)).sorted(), nearest.last?.found ?? [])
  }
}

/// How the schemas are made.
extension VersionSchemas {
  /// The schemas from one starting point, and the reason why the scripts did not arrive at the last
  /// version; nil if they did.
  private func schemas(
    _ upgrader: Upgrader, from seed: Seed?, named name: String, at first: Version,
    _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> (schemas: [Version: DatabaseSchema], failure: UpgradeError?) {
    let scratch = try ScratchDirectory()
    let start = try seed.map { seed throws(UpgradeError) in
      try DatabaseSchema(of: seed, upgrader.prepare, isCancelled)
    }
    let observer = SchemaObserver(first, start ?? DatabaseSchema())
    // Rows and foreign keys do not matter. A script that runs without the next two options makes the
    // same schema with them.
    var options = upgrader.options.onScratch(ifMissing: seed == nil ? .empty : .seed)
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    options.skipsDuplicates = true
    let last = max(first, steps.last?.version ?? .zero)
    let run = Upgrader(
      database: scratch("history.db").shown, seed: seed, migrations: Migrations(steps),
      target: last, options: options, prepare: upgrader.prepare)
    var failure: UpgradeError?
    do throws(UpgradeError) {
      _ = try run.upgrade(observer: observer, isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      // The steps or the seed are at fault, and not the disk, the memory or a right.
      guard [1, 65, 76, 78].contains(error.exitCode) else { throw error.onScratch }
      failure = UpgradeError(
        .scripts, "\(error.message); the scripts do not lead from \(name) to \(last)",
        fix: error.remedy, at: error.place, sqlite: error.sqlite, orphans: error.orphans)
    }
    var schemas = observer.schemas
    // If the seed has the content, the version before that has the same schema.
    if content.contains(first), let number = Version(first.number - 1) {
      let before = steps.last { $0.version <= number }?.version ?? number.written(like: last)
      schemas[before] = schemas[first]
    }
    return (schemas, failure)
  }
}

/// Notes the schema after each step.
private final class SchemaObserver: StepObserver {
  private(set) var schemas: [Version: DatabaseSchema]
  private let reader = SchemaReader()

  init(_ start: Version, _ schema: DatabaseSchema) { schemas = [start: schema] }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {}

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    schemas[script.migration.version] = try reader.read(connection)
  }
}
