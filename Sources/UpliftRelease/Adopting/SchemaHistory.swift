internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The schemas that the scripts make from one starting point, one for each version.
///
/// The scripts run as in an upgrade, on a database in a scratch directory.
struct SchemaHistory {
  let schemas: [Version: DatabaseSchema]
  /// The reason why the scripts did not arrive at the last version; nil if they did.
  let failure: UpgradeError?

  /// The histories from the seed, from an empty database if the scripts begin with one, and from
  /// each database in these directories that is below the seed.
  ///
  /// All scripts run, also those above the target, because a database may be newer: up to `needed`
  /// at least, and then up to the first one whose text is wrong. `claimed` is a version that somebody
  /// says the database has.
  static func all(
    of upgrader: Upgrader, _ scripts: ShippedScripts, needed: Version, claimed: Version?,
    fixtures: [String], isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> [SchemaHistory] {
    let steps = Steps(scripts, claimed: claimed)
    let scratch = try ScratchDirectory()
    var histories: [SchemaHistory] = []
    var seedVersion = needed
    for start in try StartingPoint.all(of: upgrader, scripts.catalog, fixtures: fixtures) {
      var seed: Seed?
      switch start {
      case .seed: seed = upgrader.seed
      case .empty: seed = nil
      case .fixture(let path): seed = .file(path)
      }
      let header = try seed.map { seed throws(UpgradeError) in try SeedFile.header(of: seed) }
      let first = (header?.version ?? .zero).written(like: needed)
      if case .seed = start { seedVersion = first }
      if case .fixture = start, first == .zero || first >= seedVersion { continue }
      histories.append(
        try SchemaHistory(
          upgrader, steps, from: seed, named: start.name, at: first,
          to: max(needed, scripts.lastReadable), in: scratch, isCancelled))
    }
    return histories
  }

  /// The steps that run, and the versions of those that read the seed.
  ///
  /// The latter cannot change the schema, and with an older seed they cannot run.
  private struct Steps {
    let running: [Upgrader.Migration]
    let content: [Version]

    init(_ scripts: ShippedScripts, claimed: Version?) {
      let readingSeed = scripts.readingSeed.map(\.migration.version)
      running = scripts.catalog.all.filter { !readingSeed.contains($0.version) }
      // An older release had the content under another number: `bake --content` renames the script.
      content = readingSeed + [claimed].compactMap { $0 }.filter(scripts.mayBeOldContent)
    }

    /// The newest version up to `last` that a step leads to.
    func newest(through last: Version) -> Version? {
      running.last { $0.version <= last }?.version
    }
  }

  private init(
    _ upgrader: Upgrader, _ steps: Steps, from seed: Seed?, named name: String, at first: Version,
    to last: Version, in scratch: borrowing ScratchDirectory, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let path = scratch("history.db")
    defer { scratch.discardDatabase(path) }
    let start = try seed.map { seed throws(UpgradeError) in
      try DatabaseSchema(of: seed, upgrader.prepare, isCancelled)
    }
    let observer = HistoryObserver(first, start ?? .empty)
    // Rows and foreign keys do not matter. A script that runs without the next two options makes the
    // same schema with them.
    var options = upgrader.options.onScratch(ifMissing: seed == nil ? .empty : .seed)
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    options.skipsDuplicates = true
    options.commitInterval = .milliseconds(100)
    let run = Upgrader(
      database: path.shown, seed: seed, migrations: Migrations(steps.running),
      target: max(first, steps.newest(through: last) ?? .zero), options: options,
      prepare: upgrader.prepare)
    var failure: UpgradeError?
    do throws(UpgradeError) {
      _ = try run.upgrade(observer: observer, isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      guard error.isAboutSteps else { throw error.onScratch }
      let words = "the scripts do not lead from \(name) to \(last)"
      failure = UpgradeError(
        .scripts,
        error.place == nil ? "\(words): \(error.message)" : "\(error.message); \(words)",
        fix: error.remedy, at: error.place, sqlite: error.sqlite, orphans: error.orphans)
    }
    self.failure = failure
    schemas = Self.withContent(observer.schemas, steps, from: first, to: last)
  }

  /// The same schemas, and those of the versions that only new content leads to or away from.
  ///
  /// Content changes no schema, so such a version has the schema of the step before it. The seed has
  /// its own content: the step before that, and older content above that step, have its schema.
  private static func withContent(
    _ noted: [Version: DatabaseSchema], _ steps: Steps, from first: Version, to last: Version
  ) -> [Version: DatabaseSchema] {
    var schemas = noted
    for version in steps.content where version > first && version <= last {
      let before = max(first, steps.newest(through: version) ?? .zero)
      schemas[version] = schemas[version] ?? schemas[before]
    }
    guard steps.content.contains(first), let before = Version(first.number - 1) else {
      return schemas
    }
    let step = steps.newest(through: before)
    schemas[(step ?? before).written(like: last)] = noted[first]
    for version in steps.content where version < first && version > step ?? .zero {
      schemas[version] = noted[first]
    }
    return schemas
  }
}

/// Notes the schema after each step.
private final class HistoryObserver: StepObserver {
  private(set) var schemas: [Version: DatabaseSchema]
  private let reader = SchemaReader()

  init(_ start: Version, _ schema: DatabaseSchema) { schemas = [start: schema] }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {}

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    schemas[script.migration.version] = try reader.read(connection)
  }
}

/// The schemas of all versions, from each history; a database is compared with them.
struct VersionSchemas {
  private let all: [(version: Version, schema: DatabaseSchema)]
  /// All objects that the scripts and the seed have made at any version.
  private let own: Set<DatabaseSchema.Key>
  private let scripts: ShippedScripts

  /// `first` is the lowest version that a database can have.
  init(_ histories: [SchemaHistory], from first: Version, _ scripts: ShippedScripts) {
    self.scripts = scripts
    all = histories.flatMap(\.schemas).filter { $0.key >= first }
      .sorted { $0.key < $1.key }.map { (version: $0.key, schema: $0.value) }
    own = histories.reduce(into: []) { own, history in
      for schema in history.schemas.values { own.formUnion(schema.objects.keys) }
    }
  }

  /// The objects in a schema that are not from the scripts, and do not count as differences.
  func others(in schema: DatabaseSchema) -> OtherObjects {
    OtherObjects(in: schema, besides: own, scripts.all)
  }

  func contains(_ version: Version) -> Bool { all.contains { $0.version == version } }

  /// The lowest version whose schema is known.
  var lowest: Version? { all.first?.version }

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
    let content = scripts.readingSeed.map(\.migration.version)
    let steps = scripts.catalog.steps(after: first, through: last).map(\.version)
    return first < last && steps.allSatisfy(content.contains)
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
