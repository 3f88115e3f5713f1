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

  /// The histories from the seed, and from an empty database if the scripts begin with one.
  ///
  /// All scripts run, also those above the target, because a database may be newer. If one of them
  /// is wrong, only those up to `needed` run. `claimed` is a version that somebody says the database
  /// has.
  static func all(
    of upgrader: Upgrader, _ scripts: ShippedScripts, needed: Version, claimed: Version?,
    isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> [SchemaHistory] {
    let catalog = scripts.catalog
    let last = max(needed, catalog.newest ?? needed)
    let steps = Steps(scripts, claimed: claimed)
    let scratch = try ScratchDirectory()
    var histories: [SchemaHistory] = []
    for start in try StartingPoint.all(of: upgrader, catalog, fixtures: []) {
      func history(to last: Version) throws(UpgradeError) -> SchemaHistory {
        try SchemaHistory(upgrader, steps, from: start, to: last, in: scratch, isCancelled)
      }
      var one = try history(to: last)
      if one.failure != nil, one.schemas[needed] == nil, needed < last {
        one = try history(to: needed)
      }
      histories.append(one)
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
    _ upgrader: Upgrader, _ steps: Steps, from start: StartingPoint, to last: Version,
    in scratch: borrowing ScratchDirectory, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let path = scratch("history.db")
    defer { scratch.discardDatabase(path) }
    let history = try SchemaHistory(
      upgrader, steps, from: start, to: last, at: path, readsAll: false, isCancelled)
    let noted = history.schemas.count > 1 ? history.schemas.max { $0.key < $1.key }?.value : nil
    guard let noted,
      try DatabaseSchema(of: .file(path), upgrader.prepare, isCancelled) != noted
    else {
      self = history
      return
    }
    // The observer has missed a change, so everything is read again.
    scratch.discardDatabase(path)
    self = try SchemaHistory(
      upgrader, steps, from: start, to: last, at: path, readsAll: true, isCancelled)
  }

  /// Runs the scripts on a new database.
  private init(
    _ upgrader: Upgrader, _ steps: Steps, from start: StartingPoint, to last: Version,
    at path: Path, readsAll: Bool, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let observer: HistoryObserver
    let first: Version
    if start != .empty, let seed = upgrader.seed {
      let header = try SeedFile.header(of: seed)
      first = header.version.written(like: last)
      observer = HistoryObserver(
        first, try DatabaseSchema(of: seed, upgrader.prepare, isCancelled), readsAll: readsAll)
    } else {
      first = .zero
      observer = HistoryObserver(first, .empty, readsAll: readsAll)
    }
    let target = max(first, steps.newest(through: last) ?? .zero)
    let run = Upgrader(
      database: path.shown, seed: start == .empty ? nil : upgrader.seed,
      migrations: Migrations(steps.running), target: target,
      options: Self.options(of: upgrader, ifMissing: start == .empty ? .empty : .seed),
      prepare: upgrader.prepare)
    var failure: UpgradeError?
    do throws(UpgradeError) {
      _ = try run.upgrade(observer: observer, isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      guard error.isAboutSteps else { throw error.onScratch }
      let words = "the scripts do not lead from \(start.name) to \(last)"
      failure = UpgradeError(
        .scripts,
        error.place == nil ? "\(words): \(error.message)" : "\(error.message); \(words)",
        fix: error.remedy, at: error.place, sqlite: error.sqlite, orphans: error.orphans)
    }
    self.failure = failure
    var schemas = observer.schemas
    for version in steps.content where version > first && version <= last {
      let before = max(first, steps.newest(through: version) ?? .zero)
      schemas[version] = schemas[version] ?? schemas[before]
    }
    // The seed has its own content. Content changes no schema, so the step before it, and older
    // content above that step, have the schema of the seed.
    if steps.content.contains(first), let before = Version(Int64(first.number) - 1) {
      let step = steps.newest(through: before)
      schemas[(step ?? before).written(like: last)] = schemas[first]
      for version in steps.content where version < first && version > step ?? .zero {
        schemas[version] = schemas[first]
      }
    }
    self.schemas = schemas
  }

  /// The options for scripts whose rows and foreign keys do not matter.
  ///
  /// A script that runs without `--double-quoted-strings` and `--skip-duplicates` makes the same
  /// schema with them.
  static func options(
    of upgrader: Upgrader, ifMissing: Upgrader.IfMissing
  ) -> Upgrader.Options {
    var options = upgrader.options.onScratch(ifMissing: ifMissing)
    options.commitInterval = .milliseconds(100)
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    options.skipsDuplicates = true
    return options
  }
}
