internal import Uplift
internal import UpliftSystem

/// Makes a seed, and puts it in the place of the old one in one rename.
///
/// `SeedBuild` makes the database; this type does the work with the files around it.
struct Baking {
  let upgrader: Upgrader
  let options: Upgrader.BakeOptions
  let isCancelled: () -> Bool
  let onEvent: (Upgrader.Event) -> Void

  func run() throws(UpgradeError) -> Bake {
    let seedPath = try seedPath()
    guard let path = options.output.map({ Path($0) }) ?? seedPath else { throw .noSeed }
    if let output = options.output, UpgradeError.isAddress(output) { throw .address(output) }
    return try NewFile.locked(path.parent) { () throws(UpgradeError) in
      try bake(path, from: seedPath)
    }
  }

  private func bake(_ path: Path, from seedPath: Path?) throws(UpgradeError) -> Bake {
    if !options.isCheck { NewFile.discardLeftovers(of: path) }
    let before = try seedPath?.facts()
    let old = options.output == nil ? before : nil
    if old == nil {
      if try path.facts() != nil { throw .taken(path.shown) }
      try JournalFiles.refuse(beside: path)
    }
    let scripts = try ShippedScripts(of: upgrader.migrations)
    // Only a bake that begins with an empty database can make the first seed.
    let isFirst = options.beginsEmpty && seedPath != nil && before == nil
    let plan = try BakePlan(
      upgrader, options, seed: isFirst ? nil : try upgrader.seedHeader(), scripts,
      released: try upgrader.migrations.newestReleased())
    let scratch = try ScratchDirectory()
    let built =
      options.isCheck
      ? scratch("built.db") : path.parent.appending(TemporaryName(of: path.name).next())
    defer {
      System.discard(built)
      System.discard(built + "-journal")
    }
    let varying = try SeedBuild(
      upgrader: upgrader, beginsEmpty: options.beginsEmpty, plan: plan, isCancelled: isCancelled,
      onEvent: onEvent
    ).run(at: built, in: scratch)
    let isSame = old == nil ? false : try NewFile.areEqual(built, path)
    if !isSame, options.isCheck { throw outdated(path) }
    let text = isSame ? nil : try text(of: scripts.readingSeed.first, plan, from: built)
    // Somebody may have changed the rows of the seed during the bake.
    if let seedPath, try seedPath.facts() != before { throw .changedSeed(seedPath.shown) }
    if !isSame { try publish(built, as: path, instead: old, plan, text) }
    return Bake(
      path: options.output ?? upgrader.seed?.name ?? path.shown, version: plan.version,
      isChanged: !isSame, renamed: plan.renaming?.new.shown, varying: varying)
  }

  /// The seed's file, after a link is followed; nil if the seed is not a file.
  private func seedPath() throws(UpgradeError) -> Path? {
    guard case .file(let path)? = upgrader.seed?.source else { return nil }
    return try path.isLink() ? path.resolved() : path
  }

  /// Gives the script that reads the seed its number and its text, and puts the new seed in the place
  /// of the old one.
  ///
  /// If this is interrupted, the script may have a number above that of the old seed. Then no upgrade
  /// begins, and `bake` with new content finishes the work: it takes such a number as it is.
  private func publish(
    _ built: Path, as path: Path, instead old: FileFacts?, _ plan: BakePlan,
    _ script: (path: Path, text: [UInt8])?
  ) throws(UpgradeError) {
    try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.writing(built)
      if let old {
        if System.isRoot { try file.setOwner(old.owner) }
        try file.setMode(old.mode)
      }
      try file.sync()
    }
    guard old != nil else { return try NewFile.publish(built, as: path) }
    try refuseInUse(path)
    if let (old, new) = plan.renaming {
      try UpgradeError.at(new) { () throws(SystemError) in try System.publish(old, as: new) }
      try new.parent.syncDirectory()
    }
    if let script { try NewFile.write(script.text, to: script.path, replaces: true) }
    try NewFile.publish(built, as: path, replaces: true)
  }

  /// Refuses a seed that another program is writing, or has open in WAL mode: it would go on writing
  /// the log, which has its name from the seed, and the new seed would take that log for its own.
  ///
  /// In rollback mode it may have the old seed open: SQLite begins no write in a file that has lost
  /// its name.
  private func refuseInUse(_ seed: Path) throws(UpgradeError) {
    // It may have written something since the bake began.
    _ = try SeedFile.header(of: .file(seed))
    guard try (seed + "-wal").facts() != nil else { return }
    throw UpgradeError(
      .busy, "the seed \(seed.shown.quoted) is open in another program, which has a log beside it",
      fix: "close that program; if it was killed, open the seed with sqlite3, and read a table")
  }

  /// The script that reads the seed, under its new name, with its differences to this new seed; nil
  /// if its text stays as it is.
  private func text(
    of script: Script?, _ plan: BakePlan, from built: Path
  ) throws(UpgradeError) -> (path: Path, text: [UInt8])? {
    guard options.hasNewContent, let script, case .file(let path) = script.migration.body,
      let text = try ContentWriter(
        for: upgrader, released: options.released, isCancelled: isCancelled
      ).renewed(script, in: .file(built), at: plan.version)
    else { return nil }
    return (plan.renaming?.new ?? path, Array(text.utf8))
  }

  /// The error of `isCheck` if the seed would change.
  private func outdated(_ path: Path) -> UpgradeError {
    let command = options.beginsEmpty ? "uplift bake --empty" : "uplift bake"
    let file = options.output ?? upgrader.seed?.name ?? path.shown
    let content = ", with --content if a script reads the seed and its rows have changed"
    return UpgradeError(
      .seed, "\(file.quoted) is not what \(command) would write",
      fix: "run \(command)" + (options.beginsEmpty ? "" : content))
  }
}
