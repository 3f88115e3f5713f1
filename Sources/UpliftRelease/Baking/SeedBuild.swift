internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Makes the database of a new seed: a copy of the old one, the steps, `VACUUM INTO`, and checks.
struct SeedBuild {
  private let upgrader: Upgrader
  private let options: Upgrader.BakeOptions
  private let plan: BakePlan
  private let isCancelled: () -> Bool
  private let onEvent: (Upgrader.Event) -> Void

  init(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, _ plan: BakePlan,
    isCancelled: @escaping () -> Bool, onEvent: @escaping (Upgrader.Event) -> Void
  ) {
    self.upgrader = upgrader
    self.options = options
    self.plan = plan
    self.isCancelled = isCancelled
    self.onEvent = onEvent
  }

  /// Makes the new seed under a temporary name; returns the steps that give other rows each time.
  func run(
    at built: Path, in scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    let began = ContinuousClock.now
    let working = scratch("working.db")
    try start(working)
    if !plan.steps.isEmpty || plan.seed == nil || options.beginsEmpty {
      try upgrade(working, through: nil, onEvent: onEvent)
    }
    let usesLog = try switchLogOff(working)
    try SeedCheck(of: working, prepare: upgrader.prepare).during { () throws(UpgradeError) in
      try pack(working, into: built)
    }
    try NewSeedHeader(version: plan.version, usesLog: usesLog).write(to: built)
    return try varying(built, usesLog: usesLog, began, scratch)
  }

  /// Switches the log off, so that the database is in rollback mode; true if the new seed is to be
  /// in WAL mode.
  ///
  /// That is the mode of the old seed, unless a step has changed it. An empty database begins in
  /// rollback mode, so with `beginsEmpty`, a step can only have changed it to WAL mode. In WAL
  /// mode, one of the connections that pack and check could find the database locked while the
  /// other one closes it.
  private func switchLogOff(_ working: Path) throws(UpgradeError) -> Bool {
    let header = try SeedFile.header(of: .file(working))
    guard header.usesLog else { return options.beginsEmpty && plan.seed?.usesLog == true }
    let connection = try SeedConnection.openCopy(working, prepare: nil, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA journal_mode = DELETE")
    } catch {
      throw UpgradeError(error, at: working.shown)
    }
    return true
  }

  /// Makes the database from which the steps start: a copy of the seed, or an empty database.
  private func start(_ working: Path) throws(UpgradeError) {
    guard let seed = upgrader.seed, let header = plan.seed else { return }
    if !options.beginsEmpty {
      try NewFile.copy(seed, to: working, isCancelled: isCancelled)
    } else {
      try SeedConnection.makeEmpty(working, in: header.encoding, isCancelled: isCancelled)
    }
  }

  private func upgrade(
    _ working: Path, through target: Version?,
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) throws(UpgradeError) {
    let last = target ?? plan.steps.last?.version ?? plan.base
    let run = Upgrader(
      database: working.shown, seed: options.beginsEmpty && plan.seed == nil ? nil : upgrader.seed,
      migrations: Migrations(plan.shipped), target: last,
      options: upgrader.options.onScratch(ifMissing: .empty), prepare: upgrader.prepare)
    do {
      _ = try run.upgrade(isCancelled: isCancelled, onEvent: onEvent)
    } catch {
      throw error.onScratch
    }
  }

  /// Packs a database of the scratch directory into a new file.
  private func pack(_ database: Path, into built: Path) throws(UpgradeError) {
    let connection = try SeedConnection.openCopy(
      database, prepare: upgrader.prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      // The new file is synced once, when it is complete.
      try connection.run("PRAGMA synchronous = OFF")
      let statement = try connection.prepare("VACUUM INTO ?1")
      try statement.bind(text: built.bytes, at: 1)
      try statement.run()
    } catch {
      throw UpgradeError(error, at: built.parent.shown)
    }
  }

  /// The step that gives other rows if it runs a second later, if there is one.
  ///
  /// The seed is made twice, a second apart, if one of the steps, or the schema, may ask for a random
  /// number or for the time. Only if the two differ, the first step at fault is looked for.
  private func varying(
    _ built: Path, usesLog: Bool, _ began: ContinuousClock.Instant,
    _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    if plan.steps.isEmpty { return [] }
    var mayVary = SQLWords(try SchemaText.read(from: .file(built))).mayVary
    for step in plan.steps where !mayVary { mayVary = try Script(reading: step).mayVary }
    guard mayVary else { return [] }
    let again = scratch("again.db")
    try wait(since: began)
    try start(again)
    try upgrade(again, through: nil)
    _ = try switchLogOff(again)
    if try isPacked(again, as: built, plan.version, usesLog: usesLog) { return [] }
    return try firstVarying(scratch)
  }

  /// Runs the steps twice, a second apart, and compares after each.
  private func firstVarying(
    _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    let (first, second) = (scratch("first.db"), scratch("second.db"))
    let began = ContinuousClock.now
    try start(first)
    for step in plan.steps {
      try upgrade(first, through: step.version)
      try pack(first, into: scratch("after-\(step.version.number).db"))
    }
    try wait(since: began)
    try start(second)
    for step in plan.steps {
      let snapshot = scratch("after-\(step.version.number).db")
      try upgrade(second, through: step.version)
      try NewSeedHeader(version: step.version, usesLog: false).write(to: snapshot)
      if try !isPacked(second, as: snapshot, step.version, usesLog: false) { return [step.name] }
    }
    return []
  }

  /// True if a database gives the same bytes as one that was packed before.
  private func isPacked(
    _ database: Path, as other: Path, _ version: Version, usesLog: Bool
  ) throws(UpgradeError) -> Bool {
    let packed = database + ".packed"
    defer { System.discard(packed) }
    try pack(database, into: packed)
    try NewSeedHeader(version: version, usesLog: usesLog).write(to: packed)
    return try FileComparison.areEqual(packed, other)
  }

  private func wait(since began: ContinuousClock.Instant) throws(UpgradeError) {
    while began.duration(to: .now) < .milliseconds(1100) {
      if isCancelled() { throw .stopped }
      System.sleep(milliseconds: 20)
    }
  }
}
