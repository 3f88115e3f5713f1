internal import UpliftSQLite
internal import UpliftSystem
internal import Uplift

/// Makes a seed: a copy of the old one in a scratch directory, the steps, `VACUUM INTO`, checks, and one
/// rename.
struct Baking {
  private let upgrader: Upgrader
  private let options: Upgrader.BakeOptions
  private let isCancelled: () -> Bool
  private let onEvent: (Upgrader.Event) -> Void

  init(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Upgrader.Event) -> Void
  ) {
    self.upgrader = upgrader
    self.options = options
    self.isCancelled = isCancelled
    self.onEvent = onEvent
  }

  func run() throws(ReleaseError) -> Bake {
    let seedPath = try seedPath()
    let path = options.output.map { Path($0) } ?? seedPath
    guard let path else { throw .noSeed }
    let isNew = options.output != nil || options.beginsEmpty
    let directory = try self.directory(of: path, isThere: !isNew)
    if let schema = options.schema { _ = try self.directory(of: Path(schema), isThere: false) }
    if !options.isCheck {
      try directory.waitForLock(path.parent)
      NewFile.discardLeftovers(of: path)
      if options.output == nil { try finishRenaming() }
    }
    if options.output != nil { try refuse(existing: path) }
    let seed = try header(seedPath)
    let plan = try BakePlan(upgrader, options, seed: seed)
    let archive = try seedPath.flatMap { path throws(ReleaseError) in try self.archive(path, plan) }

    let scratch = try ScratchDirectory()
    let built =
      options.isCheck
      ? scratch("built.db") : path.parent.appending(TemporaryName(of: path.name).next())
    do throws(ReleaseError) {
      let varying = try build(plan, at: built, in: scratch)
      let old = try facts(path)
      let schema = try schemaText(of: built)
      var isChanged = true
      if old != nil { isChanged = try !FileComparison.areEqual(built, path) }
      if options.isCheck {
        try refuseChange(path, isChanged, schema)
      } else {
        if isChanged {
          if let archive, let seedPath { try self.copy(seedPath, to: archive) }
          try publish(built, as: path, instead: old, plan)
        }
        if let file = options.schema, let schema, try !isWritten(schema, in: Path(file)) {
          try NewFile.replace(Path(file), by: schema)
        }
      }
      discard(built)
      return Bake(
        path: options.output ?? upgrader.seed?.name ?? path.shown, version: plan.version,
        isChanged: isChanged, renamed: plan.renaming?.path.shown,
        archived: isChanged ? archive?.shown : nil, varying: varying)
    } catch {
      discard(built)
      throw error
    }
  }
}

/// The paths, and what is there.
extension Baking {
  /// The seed's file, after a link is followed; nil if the seed is not a file.
  private func seedPath() throws(ReleaseError) -> Path? {
    guard case .file(let name)? = upgrader.seed?.source else { return nil }
    let path = Path(name)
    return try ReleaseError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path) : path
    }
  }

  /// The header of the old seed.
  ///
  /// The first seed can be made from an empty database only.
  private func header(_ path: Path?) throws(ReleaseError) -> DatabaseHeader? {
    guard let seed = upgrader.seed else { return nil }
    if options.beginsEmpty, let path, try facts(path) == nil { return nil }
    return try upgrading { () throws(UpgradeError) in try SeedFile.header(of: seed) }
  }

  private func facts(_ path: Path) throws(ReleaseError) -> FileFacts? {
    try ReleaseError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }

  /// Opens the directory of a file.
  ///
  /// `isThere` is true for a seed that must be there: its error says that the seed is missing.
  private func directory(of path: Path, isThere: Bool) throws(ReleaseError) -> OpenFile {
    do {
      return try OpenFile.directory(path.parent)
    } catch {
      guard error.isNotThere else { throw .upgrade(UpgradeError(error, at: path.parent)) }
      throw isThere
        ? .upgrade(.missing(.seed, path: path.shown)) : .missingDirectory(path: path.parent.shown)
    }
  }

  private func refuse(existing path: Path) throws(ReleaseError) {
    if try facts(path) != nil { throw .taken(path: path.shown) }
  }

  /// The path of the copy of the replaced seed: `guestbook-1.db`; nil if none is wanted.
  private func archive(_ seed: Path, _ plan: BakePlan) throws(ReleaseError) -> Path? {
    guard let directory = options.archive, let old = plan.seed, options.output == nil else {
      return nil
    }
    let dot = seed.name.lastIndex(of: UInt8(ascii: ".")) ?? seed.name.endIndex
    _ = try ReleaseError.at(Path(directory)) { () throws(SystemError) in
      try System.makeDirectory(Path(directory))
    }
    let name = seed.name[..<dot] + "-\(old.version.number)".utf8 + seed.name[dot...]
    let path = Path(directory).appending(name)
    // The same seed may have been copied before by a bake that was stopped.
    if try facts(path) != nil, try !FileComparison.areEqual(path, seed) {
      throw .taken(path: path.shown)
    }
    return path
  }

  /// Removes a new seed that did not get its name, and its journal.
  private func discard(_ built: Path) {
    System.discard(built)
    System.discard(built + "-journal")
  }

  /// Ends a renaming that was interrupted: of two equal scripts, the one with the number of the seed
  /// stays.
  private func finishRenaming() throws(ReleaseError) {
    guard let seed = upgrader.seed, let path = try seedPath(), try facts(path) != nil else {
      return
    }
    let version = try upgrading { () throws(UpgradeError) in try SeedFile.header(of: seed).version }
    let catalog = try upgrading { () throws(UpgradeError) in
      try Catalog(of: upgrader.migrations)
    }
    let scripts = try SeedScript.all(in: catalog)
    guard scripts.count == 2, let kept = scripts.first(where: { $0.migration.version == version }),
      let other = scripts.first(where: { $0.migration.version != version }),
      case .file(let first) = kept.migration.body, case .file(let second) = other.migration.body,
      try FileComparison.areEqual(first, second)
    else { return }
    System.discard(second)
  }
}

/// The new database.
extension Baking {
  /// Makes the new seed under a temporary name; returns the steps that give other rows each time.
  private func build(
    _ plan: BakePlan, at built: Path, in scratch: borrowing ScratchDirectory
  ) throws(ReleaseError) -> [String] {
    let working = scratch("working.db")
    var varying: [String] = []
    if plan.steps.isEmpty, let seed = upgrader.seed, plan.seed != nil, !options.beginsEmpty {
      try pack(seed, into: built)
    } else {
      try start(working, plan)
      try upgrade(working, plan, through: nil, onEvent: onEvent)
      try pack(.file(working.shown), into: built)
      varying = try self.varying(plan, scratch)
    }
    try NewSeedHeader(version: plan.version, usesLog: plan.seed?.usesLog ?? false).write(to: built)
    try check(built)
    return varying
  }

  /// Makes the database from which the steps start: a copy of the seed.
  private func start(_ working: Path, _ plan: BakePlan) throws(ReleaseError) {
    guard !options.beginsEmpty, let seed = upgrader.seed else { return }
    switch seed.source {
    case .file(let path): try copy(Path(path), to: working, isSynced: false)
    case .bytes(let bytes): try NewFile.write(bytes, to: working)
    }
  }

  private func upgrade(
    _ working: Path, _ plan: BakePlan, through target: Version?,
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) throws(ReleaseError) {
    let last = target ?? plan.steps.last?.version ?? plan.base
    var choices = upgrader.options
    choices.ifMissing = .empty
    let steps = plan.steps.filter { $0.version <= last }
    let run = Upgrader(
      database: working.shown, seed: options.beginsEmpty && plan.seed == nil ? nil : upgrader.seed,
      migrations: Migrations(steps), target: last, options: choices)
    try upgrading { () throws(UpgradeError) in
      _ = try run.upgrade(isCancelled: isCancelled, onEvent: onEvent)
    }
  }

  /// Packs a database into a new file.
  ///
  /// The connection is always one that only reads: SQLite arranges the same rows differently for a
  /// connection that may write, and then two bakes would differ.
  private func pack(_ database: Seed, into built: Path) throws(ReleaseError) {
    let connection = try SeedConnection.open(database, isCancelled: isCancelled)
    do throws(SQLiteError) {
      // The new file is synced once, when it is complete.
      try connection.run("PRAGMA synchronous = OFF")
      let statement = try connection.prepare("VACUUM INTO ?1")
      try statement.bind(text: built.bytes, at: 1)
      try statement.run()
    } catch {
      throw ReleaseError(error, at: built.parent.shown)
    }
  }

  /// Checks that the new seed is whole, and that no foreign key leads nowhere.
  private func check(_ built: Path) throws(ReleaseError) {
    let connection = try SeedConnection.open(.file(built.shown), isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA mmap_size = 2147418112")
      let words = try connection.text("PRAGMA integrity_check(1)")
      guard words == "ok" else { throw unsound(words ?? "no answer") }
      let orphans = try connection.prepare(
        "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check")
      guard try orphans.step() else { return }
      let (table, parent) = (orphans.name(0)?.shown ?? "", orphans.name(2)?.shown ?? "")
      let row = orphans.isNull(1) ? "a row" : "row \(orphans.integer(1))"
      throw unsound("\(row) of \(table) refers to a row of \(parent) that is not there")
    } catch {
      if error.code.primary == .interrupted { throw ReleaseError(error, at: built.shown) }
      throw .unsound(words: error.message)
    }
  }

  private func unsound(_ words: String) -> SQLiteError {
    SQLiteError(code: .corrupt, message: words)
  }

  /// The steps that give other rows if they run again a second later.
  ///
  /// Only the steps whose text may ask for a random number or the time are tried. Each runs twice on
  /// the same database.
  private func varying(
    _ plan: BakePlan, _ scratch: borrowing ScratchDirectory
  ) throws(ReleaseError) -> [String] {
    let (before, first, second) = (scratch("before.db"), scratch("first.db"), scratch("second.db"))
    var names: [String] = []
    var reached: Version?
    for step in plan.steps {
      let script = try upgrading { () throws(UpgradeError) in try Script(reading: step) }
      guard Self.words.contains(where: { script.mayMention($0) }) else { continue }
      if reached == nil { try start(before, plan) }
      reached = step.version
      if let last = plan.steps.last(where: { $0.version < step.version })?.version {
        try upgrade(before, plan, through: last)
      }
      for (index, twin) in [first, second].enumerated() {
        if index == 1 { System.sleep(milliseconds: 1100) }
        if try facts(before) != nil { try copy(before, to: twin, isSynced: false) }
        try upgrade(twin, plan, through: step.version)
        try pack(.file(twin.shown), into: twin + ".packed")
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

  /// The words without which SQL asks neither for a random number nor for the time.
  private static let words = ["random", "current_", "date", "time", "julianday", "unixepoch"]
}

/// The new files.
extension Baking {
  /// Puts the new seed in the place of the old one, and gives the script its new name.
  ///
  /// If this is interrupted, the old seed or the new one is there, and a script with its number. The
  /// next bake removes the other copy of the script.
  private func publish(
    _ built: Path, as path: Path, instead old: FileFacts?, _ plan: BakePlan
  ) throws(ReleaseError) {
    try ReleaseError.at(path) { () throws(SystemError) in
      let file = try OpenFile.writing(built)
      if let old, System.isRoot { try file.setOwner(old.owner) }
      try file.setMode(old?.mode ?? 0o644)
      try file.sync()
    }
    guard options.output == nil else {
      return try ReleaseError.at(path) { () throws(SystemError) in
        try System.publish(built, as: path)
        try NewFile.sync(path.parent)
      }
    }
    if let renaming = plan.renaming { try copyScript(renaming.script, to: renaming.path) }
    try ReleaseError.at(path) { () throws(SystemError) in
      try System.replace(path, by: built)
      try NewFile.sync(path.parent)
    }
    guard let renaming = plan.renaming, case .file(let old) = renaming.script.migration.body else {
      return
    }
    try ReleaseError.at(old) { () throws(SystemError) in
      try System.removeFile(old)
      try NewFile.sync(old.parent)
    }
  }

  private func copyScript(_ script: Script, to path: Path) throws(ReleaseError) {
    guard case .file(let old) = script.migration.body else { return }
    try copy(old, to: path)
  }

  /// Copies a file to a name that must be free, whole or not at all, unless it was copied before.
  private func copy(_ old: Path, to new: Path, isSynced: Bool = true) throws(ReleaseError) {
    if try facts(new) != nil, try FileComparison.areEqual(old, new) { return }
    NewFile.discardLeftovers(of: new)
    let temporary = new.parent.appending(TemporaryName(of: new.name).next())
    do throws(SystemError) {
      let source = try OpenFile.reading(old)
      let copy = try OpenFile.creating(temporary)
      guard try copy.copyAll(of: source, isStopped: isCancelled) else {
        System.discard(temporary)
        throw SystemError.stopped
      }
      if isSynced { try copy.sync() }
      try System.publish(temporary, as: new)
      if isSynced { try NewFile.sync(new.parent) }
    } catch {
      System.discard(temporary)
      if error == .stopped { throw .upgrade(.cancelled(reached: nil)) }
      if error.isTaken { throw .taken(path: new.shown) }
      throw .upgrade(UpgradeError(error, at: new))
    }
  }

  /// The schema as text; nil if none is wanted.
  private func schemaText(of built: Path) throws(ReleaseError) -> [UInt8]? {
    guard options.schema != nil else { return nil }
    return try SchemaText.read(from: .file(built.shown))
  }

  private func isWritten(_ text: [UInt8], in path: Path) throws(ReleaseError) -> Bool {
    guard let facts = try facts(path), facts.size == Int64(text.count) else { return false }
    return try ReleaseError.at(path) { () throws(SystemError) in
      try OpenFile.reading(path).readStart(text.count) == text
    }
  }

  /// For `isCheck`: throws if a file would change.
  private func refuseChange(
    _ path: Path, _ isChanged: Bool, _ schema: [UInt8]?
  ) throws(ReleaseError) {
    if isChanged { throw .outdated(path: options.output ?? upgrader.seed?.name ?? path.shown) }
    if let schema, let file = options.schema, try !isWritten(schema, in: Path(file)) {
      throw .outdated(path: file)
    }
  }
}

extension SystemError {
  /// The program was asked to stop.
  fileprivate static let stopped = SystemError(code: 0)
}
