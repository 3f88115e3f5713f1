internal import UpliftSQLite
internal import UpliftSystem
internal import Uplift

/// Makes a seed, and puts it in the place of the old one in one rename.
///
/// `SeedBuild` makes the database; this type does the work with the files around it.
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

  func run() throws(UpgradeError) -> Bake {
    let seedPath = try seedPath()
    let path = options.output.map { Path($0) } ?? seedPath
    guard let path else { throw .noSeed }
    let isNew = options.output != nil || options.beginsEmpty
    let directory = try self.directory(of: path, mustExist: !isNew)
    if !options.isCheck {
      try directory.waitForLock(path.parent)
      NewFile.discardLeftovers(of: path)
    }
    let before = try seedPath.flatMap { path throws(UpgradeError) in try NewFile.facts(path) }
    let seed = try header(seedPath)
    if let output = options.output, UpgradeError.isAddress(output) {
      throw .address(output)
    }
    if options.output != nil || before == nil { try NewFile.refuseTaken(path) }
    var scripts = try ShippedScripts(of: upgrader.migrations)
    if !options.isCheck, options.output == nil, let seed, try finishRenaming(of: scripts, seed) {
      scripts = try ShippedScripts(of: upgrader.migrations)
    }
    let released = try upgrader.migrations.newestReleased()
    let plan = try BakePlan(upgrader, options, seed: seed, scripts, released: released)
    try refuseUnrunStep(plan)

    let scratch = try ScratchDirectory()
    let built =
      options.isCheck
      ? scratch("built.db") : path.parent.appending(TemporaryName(of: path.name).next())
    defer { discard(built) }
    let build = SeedBuild(upgrader, options, plan, isCancelled: isCancelled, onEvent: onEvent)
    let varying = try build.run(at: built, in: scratch)
    // Somebody may have changed the rows of the seed during the bake.
    if let seedPath, try NewFile.facts(seedPath) != before {
      throw .changedSeed(seedPath.shown)
    }

    let old = options.output == nil ? before : nil
    let isReadByScript = options.output == nil && !scripts.readingSeed.isEmpty
    let isSame = old == nil ? false : try FileComparison.areEqual(built, path)
    if options.isCheck {
      if !isSame { throw outdated(path, isReadByScript: isReadByScript) }
    } else if !isSame {
      let text = try content(plan, scripts, from: built)
      try publish(built, as: path, instead: old, plan, text)
    }
    return Bake(
      path: options.output ?? upgrader.seed?.name ?? path.shown, version: plan.version,
      isChanged: !isSame, renamed: plan.renaming?.new.shown,
      varying: varying,
      mayNeedNumber: !isSame && isReadByScript && !options.hasNewContent)
  }
}

/// The paths of the files, and the facts about those that exist.
extension Baking {
  /// The seed's file, after a link is followed; nil if the seed is not a file.
  private func seedPath() throws(UpgradeError) -> Path? {
    guard case .file(let path)? = upgrader.seed?.source else { return nil }
    return try followingLink(path)
  }

  private func followingLink(_ path: Path) throws(UpgradeError) -> Path {
    try UpgradeError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path) : path
    }
  }

  /// The header of the old seed; nil if there is none.
  ///
  /// Only a bake that begins with an empty database can make the first seed.
  private func header(_ path: Path?) throws(UpgradeError) -> DatabaseHeader? {
    guard let seed = upgrader.seed else { return nil }
    if options.beginsEmpty, let path, try NewFile.facts(path) == nil { return nil }
    return try SeedFile.header(of: seed)
  }

  /// Opens the directory of a file.
  ///
  /// `mustExist` is true for the directory of a seed that must be there: its error says that the
  /// seed is missing.
  private func directory(of path: Path, mustExist: Bool) throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.directory(path.parent)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: path.parent) }
      throw mustExist
        ? .missingSeed(path.shown) : .missingDirectory(path.parent.shown)
    }
  }

  /// Removes a new seed that was not published, and the journal of that seed.
  private func discard(_ built: Path) {
    System.discard(built)
    System.discard(built + "-journal")
  }

  /// Ends a renaming that was interrupted: of two equal scripts, only the one with the number of
  /// the seed stays.
  ///
  /// Returns true if a script was removed.
  private func finishRenaming(
    of scripts: ShippedScripts, _ seed: DatabaseHeader
  ) throws(UpgradeError) -> Bool {
    let steps = scripts.readingSeed.map(\.migration)
    guard steps.count == 2, let kept = steps.first(where: { $0.version == seed.version }),
      let other = steps.first(where: { $0.version != seed.version }),
      case .file = kept.body, case .file(let second) = other.body,
      ContentParts.areAlike(scripts.readingSeed[0], scripts.readingSeed[1])
    else { return false }
    try UpgradeError.at(second) { () throws(SystemError) in try System.removeFile(second) }
    return true
  }
}

/// The new files.
extension Baking {
  /// Puts the new seed in the place of the old one, and gives the script its new name.
  ///
  /// If this is interrupted, the old seed or the new one is there, and whichever seed is there, a
  /// script has its number. The next bake removes the other copy of the script.
  private func publish(
    _ built: Path, as path: Path, instead old: FileFacts?, _ plan: BakePlan,
    _ text: [UInt8]?
  ) throws(UpgradeError) {
    try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.writing(built)
      if let old {
        if System.isRoot { try file.setOwner(old.owner) }
        try file.setMode(old.mode)
      }
      try file.sync()
    }
    guard let old else { return try NewFile.publish(built, as: path) }
    let held = try HeldSeed(
      path, facts: old, patience: upgrader.options.patience, isCancelled: isCancelled)
    if let renaming = plan.renaming {
      if let text {
        try NewFile.write(text, to: renaming.new)
      } else {
        try NewFile.copy(renaming.old, to: renaming.new, isCancelled: isCancelled)
      }
    } else if let text, let script = plan.script {
      try NewFile.replace(script, by: text)
    }
    try held.replace(by: built)
    guard let old = plan.renaming?.old else { return }
    try UpgradeError.at(old) { () throws(SystemError) in
      try System.removeFile(old)
      try NewFile.sync(old.parent)
    }
  }

  /// The text of the script that reads the seed, with the differences to this new seed; nil if the text
  /// stays as it is.
  private func content(
    _ plan: BakePlan, _ scripts: ShippedScripts, from built: Path
  ) throws(UpgradeError) -> [UInt8]? {
    guard options.hasNewContent, let script = scripts.readingSeed.first else { return nil }
    return try ContentWriter(for: upgrader, released: nil).renewed(
      script, in: .file(built), at: plan.version
    ).map { Array($0.utf8) }
  }

  /// Refuses a step that is not above the seed and that the seed has not run.
  private func refuseUnrunStep(_ plan: BakePlan) throws(UpgradeError) {
    guard let script = plan.lastInSeed, let seed = plan.seed,
      try StepTrial(upgrader, isCancelled: isCancelled).isMissingInSeed(script)
    else { return }
    let step = script.migration
    let version = seed.version.written(like: step.version)
    throw UpgradeError(
      .seed, "the seed is at \(version) and has not run \(step.path.quoted)",
      fix: UpgradeError.remedyForStepNotInSeed)
  }

  /// The error of `isCheck` if the seed would change.
  private func outdated(_ path: Path, isReadByScript: Bool) -> UpgradeError {
    let command = options.beginsEmpty ? "uplift bake --empty" : "uplift bake"
    let file = options.output ?? upgrader.seed?.name ?? path.shown
    return UpgradeError(
      .seed, "\(file.quoted) is not what \(command) would write",
      fix: isReadByScript
        ? "if its rows have changed, run \(command) --content, otherwise \(command)"
        : "run \(command)")
  }
}
