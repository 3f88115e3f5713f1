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
  private(set) var tablesNotBrought: [ChangedContent.Table] = []

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
    if let refusal = start.fixtureFault {
      findings = [refusal]
      return
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
    let refreshed = check.scripts.readingSeed.reduce(into: Set<Name>()) {
      $0.formUnion($1.tablesOfStatements.intersection($1.tablesOfSeed))
    }
    let rows = MadeUpRows { table, version in
      // A table that is refreshed gets its rows from the seed.
      if refreshed.contains(table) { return false }
      // A table that was made for a rebuild gets them from the old one.
      if let remade = observer.remade[table], remade < version { return false }
      return tables.contains(table) || observer.tablesAtStart?.contains(table) == true
    }
    try fill(filled, scratch, rows)
  }

  private func upgrade(
    _ path: Path, _ observer: CheckObserver, through target: Version? = nil
  ) throws(UpgradeError) {
    _ = try check.upgrader(of: path, from: start, through: target).upgrade(
      observer: observer, isCancelled: check.isCancelled, onEvent: check.onEvent)
  }

  /// The finding for an upgrade that stopped; throws if the check itself could not go on.
  private func stopped(_ error: UpgradeError, of path: Path) throws(UpgradeError) -> Finding {
    // A failed `prepare` is not a finding, because without `prepare` nothing can be checked.
    guard [1, 65, 76, 78].contains(error.exitCode), error.kind != .preparation else {
      throw error.onScratch
    }
    // The seed is changed, because the databases of a release cannot be.
    let remedy =
      error.kind == .foreign
      ? "if it is a database of a release, give the seed its application_id if all released "
        + "databases have it, otherwise 0, which accepts every database; if it is not, move the file "
        + "away"
      : error.remedy
    return Finding(
      [1, 65].contains(error.exitCode) ? .scriptFails : .refused,
      Finding.Place(error) ?? start.place,
      error.wordsOfFinding.replacing(path.shown, with: start.name), fix: remedy)
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
      schema = try DatabaseSchema(connection)
      findings = try observer.end(check.scripts.all, connection, start: start.place)
      return Set(try connection.tables())
    } catch {
      throw UpgradeError(error, at: start.name)
    }
  }
}

/// The upgrade with rows in empty tables.
extension CheckRun {
  /// After a script has failed on the rows, the upgrade begins again, and rows are made up after that
  /// script only.
  private mutating func fill(
    _ path: Path, _ scratch: borrowing ScratchDirectory, _ rows: MadeUpRows
  ) throws(UpgradeError) {
    var idleThrough = Version.zero
    while true {
      scratch.discardDatabase(path)
      try start.copy(to: path, check)
      let observer = CheckObserver(rows, idleThrough: idleThrough)
      var failure: UpgradeError?
      do throws(UpgradeError) {
        try upgrade(path, observer)
      } catch {
        failure = error
      }
      findings += observer.losses.map(\.finding).filter { $0.kind == .rowsLost }
      guard let failure else { return note(observer.rows) }
      guard failure.kind == .failed, let script = observer.current,
        script.migration.version > idleThrough
      else { throw failure.onScratch }
      try note(failure, of: script, observer.rows, path, scratch)
      idleThrough = script.migration.version
    }
  }

  /// Notes the tables that had rows, and those that could have none.
  private mutating func note(_ rows: MadeUpRows?) {
    guard let rows else { return }
    tried = rows.filled.union(rows.withRows)
    for (name, reason) in rows.unfilled {
      untried[name] = Finding(
        .notTried, start.place,
        "no row could be made up for \(name.shown), so no script was tried on its rows: \(reason)",
        fix: "put a database with such rows among the fixtures")
    }
  }

  private mutating func note(
    _ failure: UpgradeError, of script: Script, _ rows: MadeUpRows?, _ path: Path,
    _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) {
    // A text that was made up is no JSON; nobody's rows fail for that reason.
    if failure.message.hasPrefix("malformed JSON") { return }
    let search = CulpritSearch(script, failure, rows)
    let culprits = try search.run { observer throws(UpgradeError) in
      let trial = scratch("trial.db")
      scratch.discardDatabase(trial)
      defer { scratch.discardDatabase(trial) }
      if try path.facts() != nil {
        try ScratchDirectory.copy(.file(path), to: trial, isCancelled: check.isCancelled)
      }
      try upgrade(trial, observer, through: script.migration.version)
    }
    let shown = culprits.map(\.shown).joined(separator: " and ")
    findings.append(
      Finding(
        .failsOnRows, Finding.Place(failure) ?? start.place,
        (shown.isEmpty ? "fails on rows that were made up: " : "fails if there is \(shown): ")
          + failure.wordsOfFinding,
        fix: failure.wordsOfFinding.hasPrefix("Cannot add a NOT NULL column ")
          ? Hints.notNull : "change the script so that it works on such rows, if there can be any"))
  }
}
