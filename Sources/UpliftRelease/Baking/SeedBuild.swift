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
    let working = scratch("working.db")
    var varying: [String] = []
    try start(working)
    if !plan.steps.isEmpty || plan.seed == nil || options.beginsEmpty {
      try upgrade(working, through: nil, onEvent: onEvent)
    }
    let usesLog = try switchLogOff(working)
    try SeedCheck(of: working, prepare: upgrader.prepare).during { () throws(UpgradeError) in
      try pack(working, into: built)
    }
    varying = try self.varying(scratch)
    try NewSeedHeader(version: plan.version, usesLog: usesLog).write(to: built)
    return varying
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

  /// The steps that give other rows if they run again a second later.
  ///
  /// Only the steps that may ask for a random number or the time are tried. Each runs twice on the
  /// same database.
  private func varying(
    _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    let (before, first, second) = (scratch("before.db"), scratch("first.db"), scratch("second.db"))
    var names: [String] = []
    var reached: Version?
    for step in plan.steps {
      let script = try Script(reading: step)
      guard script.mayVary else { continue }
      if reached == nil { try start(before) }
      reached = step.version
      if let last = plan.steps.last(where: { $0.version < step.version })?.version {
        try upgrade(before, through: last)
      }
      for (index, twin) in [first, second].enumerated() {
        if index == 1 { System.sleep(milliseconds: 1100) }
        if try NewFile.facts(before) != nil { try copy(before, to: twin) }
        try upgrade(twin, through: step.version)
        try pack(twin, into: twin + ".packed")
        try NewSeedHeader(version: step.version, usesLog: false).write(to: twin + ".packed")
      }
      if try !FileComparison.areEqual(first + ".packed", second + ".packed") {
        names.append(step.name)
      }
      for twin in [first, second] {
        for path in [twin, twin + ".packed"] { System.discard(path) }
      }
    }
    return names
  }

  /// Copies a file within the scratch directory, or into it.
  private func copy(_ old: Path, to new: Path) throws(UpgradeError) {
    try NewFile.copy(old, to: new, isSynced: false, isCancelled: isCancelled)
  }
}
