internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Makes the database of a new seed: a copy of the old one, the steps, checks, and `VACUUM INTO`.
struct SeedBuild {
  let upgrader: Upgrader
  let beginsEmpty: Bool
  let plan: BakePlan
  let isCancelled: () -> Bool
  let onEvent: (Upgrader.Event) -> Void

  /// Makes the new seed under a temporary name; returns the steps that give other rows each time.
  func run(
    at built: Path, in scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    let began = ContinuousClock.now
    try make(built, from: scratch("working.db"), checks: true, onEvent)
    return try varying(built, began, scratch)
  }

  /// Makes the new seed: starts a database, runs the steps on it, and packs it.
  private func make(
    _ built: Path, from working: Path, checks: Bool = false,
    _ onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) throws(UpgradeError) {
    try start(working)
    try upgrade(working, through: plan.reached, onEvent)
    // An empty database begins in rollback mode; it gets the mode of the old seed.
    let usesLog =
      try SeedFile.header(of: .file(working)).usesLog || beginsEmpty && plan.seed?.usesLog == true
    if checks { try check(working) }
    try pack(working, into: built, plan.version, usesLog: usesLog)
  }

  /// Makes the database from which the steps start; an upgrade makes an empty one itself.
  private func start(_ working: Path) throws(UpgradeError) {
    guard let seed = upgrader.seed, plan.seed != nil, !beginsEmpty else { return }
    try ScratchDirectory.copy(seed, to: working, isCancelled: isCancelled)
  }

  private func upgrade(
    _ working: Path, through target: Version,
    _ onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) throws(UpgradeError) {
    try upgrader.upgradeCopy(
      working, beside: plan.seed == nil ? nil : upgrader.seed, by: plan.all, through: target,
      ifMissing: .empty, isCancelled: isCancelled, onEvent: onEvent)
  }

  /// Checks that the database is whole and that every foreign key leads to a row.
  private func check(_ database: Path) throws(UpgradeError) {
    let connection = try SeedConnection.openCopy(
      database, prepare: upgrader.prepare, isCancelled: isCancelled)
    let words: String
    do throws(SQLiteError) {
      // Without it each look-up of an index would be a call of the system.
      try connection.run("PRAGMA mmap_size = 2147418112")
      let damage = try connection.damage(foundBy: "integrity_check")
      let orphans = try connection.prepare("PRAGMA foreign_key_check")
      if let damage {
        words = damage
      } else if try orphans.step() {
        let row = orphans.isNull(1) ? "a row" : "row \(orphans.integer(1))"
        words =
          "\(row) of \(orphans.name(0)?.shown ?? "") refers to a row of "
          + "\(orphans.name(2)?.shown ?? "") that is not there"
      } else {
        return
      }
    } catch {
      // The seed is not at fault.
      if [.interrupted, .inputOutput, .full, .noMemory].contains(error.code.primary) {
        throw UpgradeError(error, at: database.shown)
      }
      words = error.message
    }
    throw UpgradeError(
      .seed, "the new seed is not sound: \(words)",
      fix: "correct the seed or the scripts, then bake again")
  }

  /// Packs a database of the scratch directory into a new file.
  private func pack(
    _ database: Path, into built: Path, _ version: Version, usesLog: Bool
  ) throws(UpgradeError) {
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
    try Self.writeHeader(of: built, version, usesLog: usesLog)
  }

  /// Writes the fields in the header of a new seed that do not follow from its content.
  ///
  /// `VACUUM` raises `schema_version` each time, so the seed would change with each bake. The fields
  /// are those of sqlite.org/fileformat2.html, section 1.3. The change counter and the
  /// version-valid-for number must be equal, or SQLite ignores the size in the header.
  private static func writeHeader(
    of path: Path, _ version: Version, usesLog: Bool
  ) throws(UpgradeError) {
    let mode: UInt8 = usesLog ? 2 : 1
    var fields: [(offset: Int, bytes: [UInt8])] = [(18, [mode, mode])]
    for (offset, number) in [(24, 1), (40, 1), (60, version.number), (92, 1)] {
      fields.append((offset, (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }))
    }
    try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.writing(path)
      for (offset, bytes) in fields {
        try bytes.withUnsafeBytes { buffer in
          Result { () throws(SystemError) in try file.write(buffer, at: offset) }
        }.get()
      }
    }
  }
}

/// The search for a step that makes each bake another one.
extension SeedBuild {
  /// The step that gives other rows if it runs a second later, if there is one.
  ///
  /// The seed is made twice, a second apart, if one of the steps, or the schema, may ask for a random
  /// number or for the time. Only if the two differ, the first step at fault is looked for.
  private func varying(
    _ built: Path, _ began: ContinuousClock.Instant, _ scratch: borrowing ScratchDirectory
  ) throws(UpgradeError) -> [String] {
    if plan.steps.isEmpty { return [] }
    var mayVary = SQLWords(try SchemaText.read(from: .file(built))).mayVary
    for step in plan.steps where !mayVary { mayVary = try Script(reading: step).mayVary }
    guard mayVary else { return [] }
    try wait(since: began)
    let again = scratch("packed.db")
    try make(again, from: scratch("again.db"))
    if try NewFile.areEqual(again, built) { return [] }
    // Runs the steps twice, a second apart, and compares after each.
    let later = ContinuousClock.now
    for name in ["first", "second"] {
      let database = scratch(name + ".db")
      try start(database)
      for step in plan.steps {
        let packed = scratch("\(name)-\(step.version.number)")
        try upgrade(database, through: step.version)
        try pack(database, into: packed, .zero, usesLog: false)
        if name == "first" { continue }
        let first = scratch("first-\(step.version.number)")
        if try !NewFile.areEqual(first, packed) { return [step.name] }
      }
      try wait(since: later)
    }
    return []
  }

  private func wait(since began: ContinuousClock.Instant) throws(UpgradeError) {
    while began.duration(to: .now) < .milliseconds(1100) {
      if isCancelled() { throw .stopped }
      System.sleep(milliseconds: 20)
    }
  }
}
