internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// The upgrade of one starting point: first on its own rows, then with rows in its empty tables.
struct CheckRun {
  private let check: Checking
  private let start: StartingPoint
  private(set) var findings: [Finding] = []
  /// The scripts that ran on the rows of the starting point.
  private(set) var ran: Set<Version> = []
  /// The schema at the target; nil if the upgrade failed.
  private(set) var schema: DatabaseSchema?
  /// For each table for which no row could be made up: the note about it.
  private(set) var untried: [Name: Finding] = [:]
  /// The tables that had rows.
  private(set) var tried: Set<Name> = []
  /// The tables with other rows than in the seed.
  private(set) var tablesNotBrought: [Name] = []

  init(_ check: Checking, from start: StartingPoint) {
    (self.check, self.start) = (check, start)
  }

  /// `comparesSeed` is true if the rows are to be compared with those of the seed at the end.
  mutating func run(
    comparesSeed: Bool, in scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) {
    let (plain, filled) = (scratch("plain.db"), scratch("filled.db"))
    defer {
      for path in [plain, filled] { scratch.discardDatabase(path) }
    }
    try start.copy(to: plain, check)
    let observer = CheckObserver()
    do throws(UpgradeError) {
      try upgrade(plain, observer)
    } catch {
      findings = observer.losses.map(\.finding) + [try stopped(error, of: plain)]
      return
    }
    ran = observer.ran
    let tables = try judge(plain, observer, comparesSeed: comparesSeed)
    // A table that is refreshed gets its rows from the seed.
    let refreshed = check.scripts.readingSeed.reduce(into: Set<Name>()) {
      $0.formUnion($1.tablesOfStatements.intersection($1.tablesOfSeed))
    }
    // A table that comes and goes gets its rows from others.
    let lasting = tables.union(observer.tablesAtStart ?? []).subtracting(refreshed)
    try tryMadeUpRows(filled, scratch, in: lasting)
  }

  private func upgrade(_ path: Path, _ observer: CheckObserver) throws(UpgradeError) {
    _ = try check.upgrader(of: path, from: start).upgrade(
      observer: observer, isCancelled: check.isCancelled, onEvent: check.onEvent)
  }

  /// The finding for an upgrade that stopped; throws if the check itself could not go on.
  private func stopped(_ error: UpgradeError, of path: Path) throws(UpgradeError) -> Finding {
    // A failed `prepare` is not a finding, because without `prepare` nothing can be checked.
    guard [1, 65, 76, 78].contains(error.exitCode), error.kind != .preparation else {
      throw error.onScratch
    }
    return Finding(
      [1, 65].contains(error.exitCode) ? .scriptFails : .refused,
      Finding.Place(error) ?? start.place,
      error.wordsOfFinding.replacing(path.shown, with: start.name), fix: error.remedy)
  }

  /// Reads the schema at the target, and finds what cannot work; returns the tables.
  private mutating func judge(
    _ path: Path, _ observer: CheckObserver, comparesSeed: Bool
  ) throws(UpgradeError) -> Set<Name> {
    let connection = try check.open(.file(path))
    if comparesSeed, let newSeed = check.upgrader.seed {
      let seed = try check.open(newSeed)
      do {
        tablesNotBrought = try ChangedContent.tables(in: seed, since: connection)
      } catch {
        throw UpgradeError(error, at: newSeed.name)
      }
    }
    do throws(SQLiteError) {
      let schema = try DatabaseSchema(connection)
      self.schema = schema
      findings = try observer.end(schema, connection, start: start.place)
      return Set(try connection.tables())
    } catch {
      throw UpgradeError(error, at: start.name)
    }
  }
}

/// The upgrades with rows in empty tables.
extension CheckRun {
  /// A script that fails on some rows of a table and not on fewer fails because of the last one.
  private mutating func tryMadeUpRows(
    _ path: Path, _ scratch: borrowing ScratchDirectory, in tables: Set<Name>
  ) throws(UpgradeError) {
    func upgrade(_ rowCount: Int, after version: Version) throws(UpgradeError) -> Failure? {
      scratch.discardDatabase(path)
      try start.copy(to: path, check)
      return try upgradeFilled(path, MadeUpRows(rowCount, in: tables), after: version)
    }
    // Mostly, no script fails on all rows, and then none fails on fewer.
    if try upgrade(MadeUpRows.mostRows, after: .zero) == nil { return }
    var failed: Set<Version> = []
    for rowCount in 1...MadeUpRows.mostRows {
      var latest = Version.zero
      // The upgrade begins again, and rows are made up after the script that failed.
      while let failure = try upgrade(rowCount, after: latest) {
        latest = failure.script.migration.version
        if failed.insert(latest).inserted { note(failure, rowCount) }
      }
    }
  }

  /// A script that failed on rows that were made up.
  fileprivate struct Failure {
    let script: Script
    let error: UpgradeError
    let rows: [Name: [TableRow]]
  }

  /// Upgrades a copy, and makes up rows before the scripts above a version; nil if no script fails.
  private mutating func upgradeFilled(
    _ path: Path, _ rows: MadeUpRows, after version: Version
  ) throws(UpgradeError) -> Failure? {
    let observer = CheckObserver(rows, idleThrough: version)
    defer {
      if let rows = observer.rows { note(rows) }
      if rows.rowCount == MadeUpRows.mostRows {
        findings += observer.losses.map(\.finding).filter { $0.kind == .rowsLost }
      }
    }
    do throws(UpgradeError) {
      try upgrade(path, observer)
    } catch {
      guard [.failed, .endless].contains(error.kind), let script = observer.current,
        script.migration.version > version
      else { throw error.onScratch }
      return Failure(script: script, error: error, rows: observer.rows?.filled ?? [:])
    }
    return nil
  }

  /// Notes the tables that had rows, and those that could have none.
  private mutating func note(_ rows: MadeUpRows) {
    tried.formUnion(rows.filled.keys)
    tried.formUnion(rows.withRows)
    for (name, reason) in rows.unfilled {
      untried[name] = Finding(
        .notTried, start.place,
        "no row could be made up for \(name.shown), so no script was tried on its rows: \(reason)",
        fix: "put a database with such rows among the fixtures")
    }
  }

  private mutating func note(_ failure: Failure, _ rowCount: Int) {
    let error = failure.error
    // A text that was made up is no JSON; nobody's rows fail for that reason.
    if error.message.hasPrefix("malformed JSON") { return }
    // To break a rule of uniqueness takes two rows.
    let isPair = rowCount > 1 && error.message.hasPrefix("UNIQUE ")
    let rows = failure.suspects.compactMap { failure.rows[$0] }.flatMap { rows in
      (isPair ? rows.prefix(1) : []) + rows.dropFirst(rowCount - 1)
    }
    let shown = rows.map(\.shown).joined(separator: " and ")
    findings.append(
      Finding(
        .failsOnRows, Finding.Place(error) ?? start.place,
        (shown.isEmpty ? "fails on rows that were made up: " : "fails if there is \(shown): ")
          + error.wordsOfFinding,
        fix: error.kind == .endless || error.remedy == Hints.notNull
          ? error.remedy : "change the script so that it works on such rows, if there can be any"))
  }
}

extension CheckRun.Failure {
  /// The tables to blame: those of the orphans, or those that the line of the script names, or those
  /// that the script names.
  fileprivate var suspects: [Name] {
    if let orphans = error.orphans { return Set(orphans.rows.map { Name($0.table) }).sorted() }
    let words = SQLWords(Array((error.place?.excerpt?.text ?? "").utf8))
    let named = rows.keys.filter { script.mayMention($0) }.sorted()
    let inLine = named.filter { words.contains($0.folded) }
    return inLine.isEmpty ? named : inLine
  }
}
