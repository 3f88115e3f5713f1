internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The schemas that the scripts make from one starting point, one for each version.
///
/// The scripts run as in an upgrade, on a database in a scratch directory.
struct SchemaHistory {
  let schemas: [Version: DatabaseSchema]
  /// The reason why the scripts did not arrive at the last version; nil if they did.
  let failure: ReleaseError?

  /// The histories from the seed, and from an empty database if the scripts begin with one.
  ///
  /// All scripts run, also those above the target, because a database may be newer. If one of them
  /// is wrong, only those up to `needed` run.
  static func all(
    of upgrader: Upgrader, needed: Version, isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) -> [SchemaHistory] {
    let catalog = try translatingUpgradeError { () throws(UpgradeError) in
      try Catalog(of: upgrader.migrations)
    }
    let last = max(needed, catalog.newest ?? needed)
    let scratch = try ScratchDirectory()
    var histories: [SchemaHistory] = []
    for start in try StartingPoint.all(of: upgrader, catalog, fixtures: []) {
      var history = try SchemaHistory(upgrader, from: start, to: last, in: scratch, isCancelled)
      if history.failure != nil, history.schemas[needed] == nil, needed < last {
        history = try SchemaHistory(upgrader, from: start, to: needed, in: scratch, isCancelled)
      }
      histories.append(history)
    }
    return histories
  }

  private init(
    _ upgrader: Upgrader, from start: StartingPoint, to last: Version,
    in scratch: borrowing ScratchDirectory, _ isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) {
    let path = scratch("history.db")
    defer { scratch.discardDatabase(path) }
    let history = try SchemaHistory(
      upgrader, from: start, to: last, at: path, readsAll: false, isCancelled)
    let noted = history.schemas.count > 1 ? history.schemas.max { $0.key < $1.key }?.value : nil
    guard let noted, try Self.schema(of: .file(path.shown), upgrader.prepare, isCancelled) != noted
    else {
      self = history
      return
    }
    // The observer has missed a change, so everything is read again.
    scratch.discardDatabase(path)
    self = try SchemaHistory(
      upgrader, from: start, to: last, at: path, readsAll: true, isCancelled)
  }

  /// Runs the scripts on a new database.
  private init(
    _ upgrader: Upgrader, from start: StartingPoint, to last: Version, at path: Path,
    readsAll: Bool, _ isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) {
    let observer: HistoryObserver
    if start != .empty, let seed = upgrader.seed {
      let header = try translatingUpgradeError { () throws(UpgradeError) in
        try SeedFile.header(of: seed)
      }
      observer = HistoryObserver(
        header.version.written(like: last),
        try Self.schema(of: seed, upgrader.prepare, isCancelled),
        readsAll: readsAll)
    } else {
      observer = HistoryObserver(.zero, .empty, readsAll: readsAll)
    }
    let run = Upgrader(
      database: path.shown, seed: upgrader.seed, migrations: upgrader.migrations, target: last,
      options: Self.options(of: upgrader, from: start), prepare: upgrader.prepare)
    var failure: ReleaseError?
    do throws(UpgradeError) {
      _ = try run.upgrade(observer: observer, isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      // Any other error comes from the machine (disk, rights), not from the scripts.
      guard [1, 65, 76, 78].contains(error.exitCode) else { throw .upgrade(error) }
      failure = .scriptsFail(error, start: start.name, target: last)
    }
    self.failure = failure
    schemas = observer.schemas
  }

  static func schema(
    of database: Seed, _ prepare: Upgrader.Prepare?, _ isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) -> DatabaseSchema {
    let connection = try SeedConnection.open(
      database, prepare: prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      return try DatabaseSchema(connection)
    } catch {
      throw ReleaseError(error, at: database.name)
    }
  }

  /// The options for scripts whose rows and foreign keys do not matter.
  ///
  /// A script that runs without `--double-quoted-strings` and `--skip-duplicates` makes the same
  /// schema with them.
  private static func options(
    of upgrader: Upgrader, from start: StartingPoint
  ) -> Upgrader.Options {
    var options = upgrader.options
    options.commitInterval = .milliseconds(100)
    options.ifMissing = start == .empty ? .empty : .seed
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    options.skipsDuplicates = true
    options.backup = nil
    return options
  }
}
