internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The upgrade of one starting point: first on its own rows, then with rows in its empty tables.
struct CheckRun {
  private let upgrader: Upgrader
  private let start: StartingPoint
  private let scripts: ShippedScripts
  private let oldSeeds: [OldSeed]
  private let isOldSeed: Bool
  private let newSeed: Seed?
  private let isCancelled: () -> Bool
  private let onEvent: (Upgrader.Event) -> Void
  private(set) var facts: [PlacedFact] = []
  /// The time that each script took on the rows of the starting point.
  private(set) var durations: [Version: Duration] = [:]
  /// The foreign keys that have a fault.
  private(set) var references: [Reference] = []
  /// The schema at the target; nil if the upgrade failed.
  private(set) var schema: DatabaseSchema?
  /// For each table for which no row could be made up: the note about it.
  private(set) var untried: [Name: PlacedFact] = [:]
  /// The tables with other rows than in `newSeed`, which no script has written.
  private(set) var tablesNotBrought: [ChangedContent.Table] = []
  /// The tables that had rows.
  private(set) var tried: Set<Name> = []

  /// A fact about a foreign key.
  struct Reference {
    let fact: Fact
    /// True if one of the scripts has made the foreign key.
    let isMade: Bool
    /// The script that made it, or the database.
    let place: Finding.Place
  }

  /// A run from `start`.
  ///
  /// `isOldSeed` is true if `start` is one of the seeds that were released before. `newSeed` is the
  /// seed to compare its rows with after the upgrade, or nil.
  init(
    _ upgrader: Upgrader, from start: StartingPoint, _ scripts: ShippedScripts,
    oldSeeds: [OldSeed] = [], isOldSeed: Bool = false, newSeed: Seed? = nil,
    isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) {
    self.upgrader = upgrader
    self.start = start
    self.scripts = scripts
    self.oldSeeds = oldSeeds
    self.isOldSeed = isOldSeed
    self.newSeed = newSeed
    self.isCancelled = isCancelled
    self.onEvent = onEvent
  }

  mutating func run(in scratch: borrowing ScratchDirectory) throws(UpgradeError) {
    let plain = scratch("plain.db")
    let filled = scratch("filled.db")
    defer {
      for path in [plain, filled] { scratch.discardDatabase(path) }
    }
    if let refusal = start.fixtureFault {
      facts = [refusal]
      return
    }
    try copyStart(to: plain)
    let losses = LossObserver(
      UserRows(oldSeeds: oldSeeds, version: start.version, prepare: upgrader.prepare),
      isOldSeed: isOldSeed)
    do throws(UpgradeError) {
      try upgrade(plain, losses, through: nil)
    } catch {
      facts = losses.facts + [try stopped(error, of: plain)]
      return
    }
    try judgeResult(plain, losses)
    try copyStart(to: filled)
    durations = losses.durations
    try fill(filled, scratch, without: losses)
  }

  /// Upgrades a copy of the fixture; false if it is at this version or above, or if the upgrade
  /// fails.
  func runs(to target: Version, at copy: Path) throws(UpgradeError) -> Bool {
    guard start.fixtureFault == nil, let version = start.version, version < target
    else { return false }
    try copyStart(to: copy)
    do throws(UpgradeError) {
      _ = try upgrader(of: copy, through: target)
        .upgrade(isCancelled: isCancelled, onEvent: { _ in })
      return true
    } catch {
      if error.kind == .cancelled { throw error.onScratch }
      return false
    }
  }

  private func copyStart(to path: Path) throws(UpgradeError) {
    try start.copy(to: path, upgrader, isCancelled: isCancelled)
  }

  private func upgrade(
    _ path: Path, _ observer: any StepObserver, through target: Version?,
    isTooSlow: @escaping () -> Bool = { false }
  ) throws(UpgradeError) {
    _ = try upgrader(of: path, through: target).upgrade(
      observer: observer, isCancelled: { isCancelled() || isTooSlow() }, onEvent: onEvent)
  }

  private func upgrader(of path: Path, through target: Version?) -> Upgrader {
    var options = upgrader.options.onScratch(ifMissing: start == .empty ? .empty : .seed)
    options.commitInterval = .milliseconds(100)
    return Upgrader(
      database: path.shown, seed: upgrader.seed, migrations: Migrations(scripts.catalog.all),
      target: target ?? upgrader.target, options: options, prepare: upgrader.prepare)
  }

  /// The finding for an upgrade that stopped; throws if the check itself could not go on.
  private func stopped(_ error: UpgradeError, of path: Path) throws(UpgradeError) -> PlacedFact {
    let isRefusal: Bool
    // A failed `prepare` is not a finding, because without `prepare` nothing can be checked.
    if error.kind == .preparation { throw error.onScratch }
    switch error.exitCode {
    case 1, 65: isRefusal = false
    case 76, 78: isRefusal = true
    default: throw error.onScratch
    }
    let place = Finding.Place(error) ?? start.place
    let words = error.wordsOfFinding.replacing(path.shown, with: start.name)
    var remedy = error.remedy
    if error.kind == .foreign {
      // The seed is changed, because the databases of a release cannot be.
      remedy =
        "if it is a database of a release, give the seed its application_id if all released "
        + "databases have it, otherwise 0, which accepts every database; if it is not, move the file "
        + "away"
    }
    return PlacedFact(.stopped(words: words, remedy: remedy, isRefusal: isRefusal), place)
  }

  private func open(_ seed: Seed) throws(UpgradeError) -> Connection {
    try SeedConnection.open(seed, prepare: upgrader.prepare, isCancelled: isCancelled)
  }

  /// Reads the schema at the target, and notes the views, triggers and foreign keys that cannot work.
  private mutating func judgeResult(
    _ path: Path, _ losses: LossObserver
  ) throws(UpgradeError) {
    let connection = try open(.file(path))
    if let newSeed {
      let seed = try open(newSeed)
      do {
        tablesNotBrought = try ChangedContent.tables(
          in: seed, since: connection, except: losses.writtenTables)
      } catch {
        throw UpgradeError(error, at: newSeed.name)
      }
    }
    do throws(SQLiteError) {
      schema = try DatabaseSchema(connection)
      losses.end(connection, start: start.place)
      facts = losses.facts
      try noteReferences(connection, losses)
    } catch {
      throw UpgradeError(error, at: start.name)
    }
  }
}

/// The foreign keys at the target.
extension CheckRun {
  private mutating func noteReferences(
    _ connection: borrowing Connection, _ losses: LossObserver
  ) throws(SQLiteError) {
    for table in (schema?.tables ?? [:]).keys.sorted() {
      for key in try connection.foreignKeys(of: table) {
        let origin = losses.keys.origin(of: key, in: table)
        let place = origin ?? start.place
        let columns = key.from.map(\.shown)
        let parent = try ParentKey(of: key, connection)
        if let fault = try parent.fault(connection) {
          let fact = Fact.danglingReference(
            table: table.shown, columns: columns, parent: key.parent.shown, fault)
          references.append(Reference(fact: fact, isMade: origin != nil, place: place))
        }
      }
    }
  }
}

/// The upgrade with rows in empty tables.
extension CheckRun {
  private mutating func fill(
    _ path: Path, _ scratch: borrowing ScratchDirectory, without losses: LossObserver
  ) throws(UpgradeError) {
    let intermediate = losses.intermediateTables
    let refreshed = scripts.readingSeed.reduce(into: losses.refreshedTables) {
      $0.formUnion($1.tablesOfStatements.intersection($1.tablesOfSeed))
    }
    // No rows are made up for two kinds of tables. A table that a script refreshes gets its rows
    // from the seed. A table that replaces another gets them from that table.
    let isContent: (Name) -> Bool = { name in
      intermediate.contains(name) || refreshed.contains(name)
    }
    var current = RowFiller(usual: durations, isContent: isContent)
    var failures: [Version: Int] = [:]
    while true {
      do throws(UpgradeError) {
        try upgrade(
          path, current, through: nil, isTooSlow: { [current] in current.stopIfTooSlow() })
        break
      } catch {
        guard let script = current.current else { throw error.onScratch }
        let version = script.migration.version
        if current.isStopped {
          current.isStopped = false
          failures[version, default: 0] += 1
          // The script does not end without the made-up rows either.
          if failures[version] != 1 { break }
          facts.append(
            PlacedFact(
              .failsOnRows(rows: [], words: "it did not end, and was stopped"), in: script, at: nil)
          )
          current.remainders[version] = current.remainderOfNone
          continue
        }
        guard error.kind == .failed else { throw error.onScratch }
        failures[version, default: 0] += 1
        let search = CulpritSearch(
          script, error, current, isContent: isContent, isCancelled: isCancelled)
        switch failures[version] {
        case 1:
          let culprit = try search.run(path, scratch) { trial, observer throws(UpgradeError) in
            try upgrade(
              trial, observer, through: version, isTooSlow: { observer.stopIfTooSlow() })
          }
          note(culprit, error)
          current.remainders[version] = culprit.remainder
        case 2:
          // The script has another reason to fail, so it runs without any made-up row.
          current.remainders[version] = current.remainderOfNone
        default:
          // Earlier scripts have spread the rows, so the upgrade begins again without them.
          scratch.discardDatabase(path)
          try copyStart(to: path)
          facts += current.facts
          current = RowFiller(idleThrough: version, usual: durations, isContent: isContent)
        }
      }
    }
    facts += current.facts
    tried = current.state.filled.union(current.state.withRows)
    for (name, unfilled) in current.state.unfilled {
      untried[name] = PlacedFact(
        .notTried(table: name.shown, words: unfilled.reason), start.place)
    }
  }

  private mutating func note(_ culprit: CulpritSearch.Culprit, _ error: UpgradeError) {
    // A text that was made up is no JSON; nobody's rows fail for that reason.
    if error.message.hasPrefix("malformed JSON") { return }
    let place = Finding.Place(error) ?? start.place
    facts.append(
      PlacedFact(
        .failsOnRows(
          rows: culprit.rows.map(\.shown), words: error.wordsOfFinding), place))
  }
}
