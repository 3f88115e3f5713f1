internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Tries all scripts from each starting point, and collects the findings.
struct Checking {
  private let upgrader: Upgrader
  private let fixtures: [String]
  private let isCancelled: () -> Bool
  private let onEvent: (Upgrader.Event) -> Void

  init(
    _ upgrader: Upgrader, fixtures: [String], isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) {
    self.upgrader = upgrader
    self.fixtures = fixtures
    self.isCancelled = isCancelled
    self.onEvent = onEvent
  }

  func run() throws(UpgradeError) -> Check {
    do {
      return try check()
    } catch {
      // A script whose name or text is wrong: no upgrade would begin.
      guard error.exitCode == 65, let place = Finding.Place(error) else { throw error }
      var list = FindingList(startCount: 1)
      let words = error.wordsOfFinding
      list.add([
        PlacedFact(.stopped(words: words, remedy: error.remedy, isRefusal: false), place)
      ])
      return list.check([])
    }
  }

  private func check() throws(UpgradeError) -> Check {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let starts = try StartingPoint.all(of: upgrader, scripts.catalog, fixtures: fixtures)
    var list = FindingList(startCount: starts.count)
    var releasedPaths: Set<String> = []
    var (newestReleased, content) = (Version.zero, Version.zero)
    for directory in upgrader.migrations.directories {
      let recorded = try ReleasedScripts(in: directory, of: scripts)
      list.add(recorded.facts)
      // No upgrade would begin.
      if recorded.fault != nil { return list.check([]) }
      releasedPaths.formUnion(recorded.releasedPaths)
      newestReleased = max(newestReleased, recorded.newest)
      content = max(content, recorded.content)
    }
    let scratch = try ScratchDirectory()
    var seedFacts = try seedFacts(scripts, content)
    // If the lock file shows the script of another branch, its finding has the better remedy.
    if list.isEmpty, seedFacts.isEmpty {
      seedFacts = try missingInSeed(scripts, starts, scratch)
    }
    list.add(seedFacts)
    // No upgrade would begin.
    guard seedFacts.isEmpty else { return list.check([]) }
    let released = oldSeeds(starts)
    let changed = try ChangedContent(upgrader.seed, scripts, oldSeeds: released)
    list.add(try changed?.withoutNewNumber(open: open) ?? [])
    list.add(try withoutFixture())
    let oldSeeds = try upgraded(released, scripts, scratch)
    var tried = TriedStarts(scripts)
    for start in starts {
      var run = CheckRun(
        upgrader, from: start, scripts, oldSeeds: oldSeeds,
        isOldSeed: released.contains { $0.path == start.name },
        newSeed: start.name == changed?.newestOlder ? upgrader.seed : nil, isCancelled: isCancelled,
        onEvent: onEvent)
      try run.run(in: scratch)
      list.add(run.facts, from: start)
      list.add(changed?.notBrought(run.tablesNotBrought) ?? [])
      list.add(tried.add(run, from: start), from: start)
    }
    list.add(tried.facts)
    list.add(tried.notRun(above: newestReleased, through: upgrader.target))
    return list.check(scripts.all, released: releasedPaths)
  }

  /// The notes about directories that should have fixtures and have none.
  private func withoutFixture() throws(UpgradeError) -> [PlacedFact] {
    var facts: [PlacedFact] = []
    for directory in fixtures where try StartingPoint.fixtures(in: directory).isEmpty {
      let place = Finding.Place(file: Path(directory).shown, line: nil, column: nil, excerpt: nil)
      facts.append(PlacedFact(.noFixture, place))
    }
    return facts
  }

  /// The facts about scripts that read the seed.
  ///
  /// `content` is the version of the content that was released last.
  private func seedFacts(
    _ scripts: ShippedScripts, _ content: Version
  ) throws(UpgradeError) -> [PlacedFact] {
    guard let first = scripts.readingSeed.first else { return [] }
    var facts: [PlacedFact] = []
    let header = try header()
    for script in scripts.readingSeed {
      let number = script.migration.version
      if script.migration.version != first.migration.version {
        facts.append(
          PlacedFact(.secondSeedScript(first: first.migration.path), in: script, at: nil))
      } else if header?.version != number {
        let isOlder = header.map { $0.version < content } ?? false
        facts.append(
          PlacedFact(
            .seedNumber(
              number: number, seed: header?.version.written(like: number),
              released: isOlder ? content.written(like: number) : nil), in: script, at: nil))
      }
    }
    return facts
  }

  /// The fact about the last script that is not above the seed, if the seed has not run it.
  private func missingInSeed(
    _ scripts: ShippedScripts, _ starts: [StartingPoint], _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [PlacedFact] {
    let header = try header()
    guard let seed = header?.version, let last = scripts.lastChangingSchema(through: seed),
      try StepTrial(upgrader, isCancelled: isCancelled).isMissingInSeed(last),
      try !endsLikeAnother(starts, below: last.migration.version, scripts, scratch)
    else { return [] }
    let shown = seed.written(like: last.migration.version)
    return [PlacedFact(.notInSeed(seed: shown), in: last, at: nil)]
  }

  /// True if the upgrade of a database that runs the script ends with the schema of the seed: then
  /// the seed has run it.
  private func endsLikeAnother(
    _ starts: [StartingPoint], below version: Version, _ scripts: ShippedScripts,
    _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> Bool {
    var own: DatabaseSchema?
    for start in starts {
      if case .fixture = start {
        guard let own = start.version, own < version else { continue }
      }
      var run = CheckRun(
        upgrader, from: start, scripts, isCancelled: isCancelled)
      try run.run(in: scratch)
      if case .seed = start {
        own = run.schema
      } else if let schema = run.schema, schema == own {
        return true
      }
    }
    return false
  }

  /// Copies of old seeds that have run the scripts below the one that reads the seed.
  ///
  /// So they have the tables, columns and identifiers that this script meets. A seed that cannot run
  /// the scripts is left as it is.
  private func upgraded(
    _ oldSeeds: [OldSeed], _ scripts: ShippedScripts, _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [OldSeed] {
    guard let reading = scripts.readingSeed.first?.migration.version,
      let last = scripts.all.last(where: { $0.migration.version < reading })?.migration.version
    else { return oldSeeds }
    var copies: [OldSeed] = []
    for (index, seed) in oldSeeds.enumerated() {
      let copy = scratch("old-\(index).db")
      let run = CheckRun(
        upgrader, from: .fixture(Path(seed.path)), scripts, isCancelled: isCancelled)
      let isCopy = try run.runs(to: last, at: copy)
      copies.append(isCopy ? OldSeed(path: copy.shown, version: seed.version) : seed)
    }
    return copies
  }

  /// The header of the seed; nil if there is none.
  private func header() throws(UpgradeError) -> DatabaseHeader? {
    try upgrader.seed.map { seed throws(UpgradeError) in
      try SeedFile.header(of: seed)
    }
  }

  private func open(_ seed: Seed) throws(UpgradeError) -> Connection {
    try SeedConnection.open(seed, prepare: upgrader.prepare, isCancelled: isCancelled)
  }

  /// The fixtures that are old seeds: `bake` archives the seed `app.db` of version 3 as `app-3.db`.
  private func oldSeeds(_ starts: [StartingPoint]) -> [OldSeed] {
    guard case .file(let seed)? = upgrader.seed?.source else { return [] }
    var names = [VersionedName(of: seed)]
    // If the seed is a link, `bake` uses the name of the file that it leads to.
    if let file = try? System.resolve(seed) { names.append(VersionedName(of: file)) }
    return starts.compactMap { start in
      guard case .fixture(let path) = start,
        let version = names.lazy.compactMap({ $0.version(of: Array(path.name)) }).first,
        // A fixture that is no database is a finding of its own.
        start.version == version
      else { return nil }
      return OldSeed(path: path.shown, version: version)
    }
  }
}
