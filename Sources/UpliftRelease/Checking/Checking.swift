internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Tries all scripts from each starting point, and collects the findings.
struct Checking {
  let upgrader: Upgrader
  let scripts: ShippedScripts
  let fixtures: [String]
  let isCancelled: () -> Bool
  let onEvent: (Upgrader.Event) -> Void

  static func check(
    _ upgrader: Upgrader, fixtures: [String], isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) throws(UpgradeError) -> Check {
    var list = FindingList()
    // Scripts whose name or text is wrong: no upgrade would begin.
    do throws(UpgradeError) {
      for step in try Catalog(of: upgrader.migrations).all {
        do throws(UpgradeError) {
          _ = try Script(reading: step)
        } catch {
          list.add([try wrongScript(error)])
        }
      }
    } catch {
      list.add([try wrongScript(error)])
    }
    guard list.isEmpty else { return list.check() }
    let scripts = try ShippedScripts(of: upgrader.migrations)
    return try Checking(
      upgrader: upgrader, scripts: scripts, fixtures: fixtures, isCancelled: isCancelled,
      onEvent: onEvent
    ).run()
  }

  private static func wrongScript(_ error: UpgradeError) throws(UpgradeError) -> Finding {
    guard error.exitCode == 65, let place = Finding.Place(error) else { throw error }
    return Finding(.scriptFails, place, error.wordsOfFinding, fix: error.remedy)
  }

  private func run() throws(UpgradeError) -> Check {
    var list = FindingList()
    var releasedPaths: Set<String> = []
    var (newestReleased, content) = (Version.zero, Version.zero)
    for directory in upgrader.migrations.directories {
      let recorded = try ReleasedScripts(in: directory, of: scripts)
      list.add(recorded.findings)
      // No upgrade would begin.
      if recorded.fault != nil { return list.check() }
      releasedPaths.formUnion(recorded.releasedPaths)
      newestReleased = max(newestReleased, recorded.newest)
      content = max(content, recorded.content)
    }
    let seedFindings = try seedFindings(released: content)
    list.add(seedFindings)
    // No upgrade would begin.
    guard seedFindings.isEmpty else { return list.check() }
    let floor = try scripts.floor()
    let all = try StartingPoint.all(of: upgrader, scripts.catalog, fixtures: fixtures)
    for start in all where start.isBelow(floor) {
      let words =
        "it is older than \(floor), from which scripts ship, so no upgrade was tried from it"
      list.add([Finding(.notTried, start.place, words, fix: "it may be removed: it is refused")])
    }
    let starts = all.filter { !$0.isBelow(floor) }
    let scratch = try ScratchDirectory()
    list.add(try tryScripts(from: starts, scratch, &list, above: newestReleased))
    return list.check(scripts.all, released: releasedPaths, startCount: starts.count)
  }

  /// Upgrades each starting point, and returns what all upgrades show together.
  private func tryScripts(
    from starts: [StartingPoint], _ scratch: borrowing ScratchDirectory, _ list: inout FindingList,
    above newestReleased: Version
  ) throws(UpgradeError) -> [Finding] {
    var changed = try ChangedContent(
      upgrader.seed, scripts, OldSeed.all(among: starts, of: upgrader.seed))
    let unnumbered = try changed?.withoutNewNumber(open: open) ?? []
    list.add(unnumbered)
    var tried = TriedStarts(scripts)
    for start in starts {
      var run = CheckRun(self, from: start)
      let comparesSeed = unnumbered.isEmpty && changed?.isOlder(start) == true
      try run.run(comparesSeed: comparesSeed, in: scratch)
      list.add(run.findings, from: start)
      list.add(changed?.notBrought(run.tablesNotBrought, from: start) ?? [])
      list.add(tried.add(run, from: start), from: start)
    }
    return tried.findings + tried.notRun(above: newestReleased, through: upgrader.target)
  }
}

/// What the upgrades use.
extension Checking {
  func upgrader(of path: Path, from start: StartingPoint) -> Upgrader {
    Upgrader(
      database: path.shown, seed: upgrader.seed, migrations: Migrations(scripts.catalog.all),
      target: upgrader.target,
      options: upgrader.options.onScratch(ifMissing: start == .empty ? .empty : .seed),
      prepare: upgrader.prepare)
  }

  func open(_ seed: Seed) throws(UpgradeError) -> Connection {
    try SeedConnection.open(seed, prepare: upgrader.prepare, isCancelled: isCancelled)
  }
}

/// What is wrong before an upgrade begins.
extension Checking {
  /// The findings about scripts that read the seed; `content` is the version of the content that was
  /// released last.
  private func seedFindings(released content: Version) throws(UpgradeError) -> [Finding] {
    guard let first = scripts.readingSeed.first else { return [] }
    let header = try upgrader.seedHeader()
    var findings: [Finding] = []
    for script in scripts.readingSeed {
      let number = script.migration.version
      var remedy = "run uplift bake --content, which gives both the same number"
      let words: String
      if number != first.migration.version {
        words = "the script reads the seed, and so does \(first.migration.path)"
        remedy = "put both into one script, with the number of the seed"
      } else if let seed = header?.version {
        if seed == number { continue }
        words =
          "the script reads the seed and has the number \(number), and the seed is at "
          + "\(seed.written(like: number))"
        if seed < content {
          remedy =
            "a seed with the content of \(content.written(like: number)) was released, and this "
            + "one is older: take the released one, repeat the changes of rows that it lacks, then run "
            + "uplift bake --content"
        }
      } else {
        words = "the script reads the seed, and there is no seed"
        remedy = "name the seed with --seed"
      }
      findings.append(Finding(.seedNumber, in: script, words, fix: remedy))
    }
    // A database may stop at such a script, and then nobody knows which content it has had.
    for script in scripts.all where content > .zero && !script.isGrouped {
      let version = script.migration.version
      guard version > content, version < first.migration.version else { continue }
      let words =
        "the script has commits of its own, between the content of \(content) and the new one"
      let remedy =
        "release it without new content, or give it a number above that of the new content"
      findings.append(Finding(.seedNumber, in: script, words, fix: remedy))
    }
    return findings
  }
}

/// What the upgrades from all starting points show together.
private struct TriedStarts {
  private let scripts: ShippedScripts
  /// The first starting point that reached the target, and the schema that it has there.
  private var expected: (name: String, schema: DatabaseSchema)?
  private var untried: [Name: Finding] = [:]
  private var tried: Set<Name> = []
  private var ran: Set<Version> = []
  private var hasFailed = false

  init(_ scripts: ShippedScripts) {
    self.scripts = scripts
  }

  /// Adds the upgrade from one starting point, and returns how its schema differs from the first
  /// one.
  mutating func add(_ run: CheckRun, from start: StartingPoint) -> [Finding] {
    tried.formUnion(run.tried)
    untried.merge(run.untried) { first, _ in first }
    ran.formUnion(run.ran)
    // In an empty database, a script that reads the seed meets no row that it could clash with.
    if start == .empty { ran.subtract(scripts.readingSeed.map(\.migration.version)) }
    guard var schema = run.schema else {
      hasFailed = true
      return []
    }
    guard let expected else {
      self.expected = (start.name, schema)
      return []
    }
    if case .fixture = start {
      let own = Set(expected.schema.objects.keys)
      let others = OtherObjects(in: schema, besides: own, scripts.all)
      schema = schema.without(others)
    }
    let remedy =
      start == .empty
      ? "restore a released script that was edited; or write a script that makes the two schemas equal; "
        + "or, if no seed was ever released, make the seed from the scripts alone: uplift bake --empty"
      : "write a script that makes the two schemas equal; if somebody has changed one of the databases "
        + "by hand, undo that change first"
    return SchemaDifference.between(schema, expected.schema).map { difference in
      Finding(
        .schemaDiffers, start.place, difference.words(reference: expected.name), fix: remedy)
    }
  }

  /// The notes about tables in which no upgrade had a row.
  var findings: [Finding] {
    untried.filter { !tried.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The note about a new script that no upgrade ran, because every starting point is above it.
  func notRun(above released: Version, through target: Version?) -> [Finding] {
    let last = scripts.all.last { script in
      let version = script.migration.version
      return version > released && !ran.contains(version) && target.map { version <= $0 } ?? true
    }
    guard !hasFailed, let last else { return [] }
    return [
      Finding(
        .notTried, in: last,
        "no starting point with rows is below \(last.migration.version), so it was not tried",
        fix: "put an older seed into a directory, and name it with --fixtures")
    ]
  }
}

extension SchemaDifference {
  /// One clause about the first schema, with the second as the reference.
  fileprivate func words(reference: String) -> String {
    if let property {
      return "\(object) differs; here: \(property.first); "
        + "after an upgrade from \(reference): \(property.second)"
    }
    return isInFirst
      ? "\(object) is there, but not after an upgrade from \(reference)"
      : "\(object) is missing, but is there after an upgrade from \(reference)"
  }
}
