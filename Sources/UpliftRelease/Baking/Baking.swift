internal import Uplift
internal import UpliftSQLite
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
    let directory = try directory(of: path)
    if !options.isCheck {
      try directory.waitForLock(path.parent)
      NewFile.discardLeftovers(of: path)
    }
    let before = try seedPath.flatMap { path throws(UpgradeError) in try NewFile.facts(path) }
    if let output = options.output, UpgradeError.isAddress(output) { throw .address(output) }
    if options.output != nil || before == nil { try NewFile.refuseTaken(path) }
    // Only a bake that begins with an empty database can make the first seed.
    let isFirst = options.beginsEmpty && seedPath != nil && before == nil
    let (plan, scripts) = try plan(isFirst: isFirst)
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
    // Somebody may have changed the rows of the seed during the bake.
    if let seedPath, try NewFile.facts(seedPath) != before { throw .changedSeed(seedPath.shown) }

    let old = options.output == nil ? before : nil
    let isReadByScript = options.output == nil && !scripts.readingSeed.isEmpty
    let isSame = old == nil ? false : try NewFile.areEqual(built, path)
    if !isSame, options.isCheck { throw outdated(path, isReadByScript: isReadByScript) }
    if !isSame {
      let content = try content(plan, scripts, from: built)
      try publish(built, as: path, instead: old, plan, content)
    }
    return Bake(
      path: options.output ?? upgrader.seed?.name ?? path.shown, version: plan.version,
      isChanged: !isSame, renamed: plan.renaming?.new.shown, varying: varying,
      mayNeedNumber: !isSame && isReadByScript && !options.hasNewContent)
  }

  private func plan(isFirst: Bool) throws(UpgradeError) -> (BakePlan, ShippedScripts) {
    let seed =
      try isFirst
      ? nil
      : upgrader.seed.map { seed throws(UpgradeError) in
        try SeedFile.header(of: seed)
      }
    let scripts = try scripts(seed)
    let plan = try BakePlan(
      upgrader, options, seed: seed, scripts, released: try upgrader.migrations.newestReleased())
    return (plan, scripts)
  }

  /// The seed's file, after a link is followed; nil if the seed is not a file.
  private func seedPath() throws(UpgradeError) -> Path? {
    guard case .file(let path)? = upgrader.seed?.source else { return nil }
    return try UpgradeError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path) : path
    }
  }

  /// Opens the directory of a file; if a seed must be there, the error says that it is missing.
  private func directory(of path: Path) throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.directory(path.parent)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: path.parent) }
      throw options.output == nil && !options.beginsEmpty
        ? .missingSeed(path.shown) : .missingDirectory(path.parent.shown)
    }
  }

  /// The scripts, after a renaming that was interrupted has come to its end: of two equal scripts,
  /// only the one with the number of the seed stays.
  private func scripts(_ seed: DatabaseHeader?) throws(UpgradeError) -> ShippedScripts {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let steps = scripts.readingSeed.map(\.migration)
    guard !options.isCheck, options.output == nil, let seed, steps.count == 2,
      let kept = steps.first(where: { $0.version == seed.version }),
      let other = steps.first(where: { $0.version != seed.version }),
      case .file = kept.body, case .file(let second) = other.body,
      ContentParts.areAlike(scripts.readingSeed[0], scripts.readingSeed[1])
    else { return scripts }
    try UpgradeError.at(second) { () throws(SystemError) in try System.removeFile(second) }
    return try ShippedScripts(of: upgrader.migrations)
  }

  /// Puts the new seed in the place of the old one, and gives the script its new name.
  ///
  /// If this is interrupted, the old seed or the new one is there, and whichever seed is there, a
  /// script has its number. The next bake removes the other copy of the script.
  private func publish(
    _ built: Path, as path: Path, instead old: FileFacts?, _ plan: BakePlan,
    _ content: (script: Path, text: [UInt8])?
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
    try writeScript(plan, content)
    try held.replace(by: built)
    guard let old = plan.renaming?.old else { return }
    try UpgradeError.at(old) { () throws(SystemError) in
      try System.removeFile(old)
      try NewFile.sync(old.parent)
    }
  }

  /// Writes the script that reads the seed under its new name, or its new text under the old one.
  private func writeScript(
    _ plan: BakePlan, _ content: (script: Path, text: [UInt8])?
  ) throws(UpgradeError) {
    switch (plan.renaming, content) {
    case (let renaming?, let content?): try NewFile.write(content.text, to: renaming.new)
    case (let renaming?, nil):
      try NewFile.copy(renaming.old, to: renaming.new, isCancelled: isCancelled)
    case (nil, let content?): try NewFile.replace(content.script, by: content.text)
    case (nil, nil): return
    }
  }

  /// The script that reads the seed, with its differences to this new seed; nil if its text stays as
  /// it is.
  private func content(
    _ plan: BakePlan, _ scripts: ShippedScripts, from built: Path
  ) throws(UpgradeError) -> (script: Path, text: [UInt8])? {
    guard options.hasNewContent, let script = scripts.readingSeed.first,
      case .file(let path) = script.migration.body,
      let text = try ContentWriter(
        for: upgrader, released: options.released, isCancelled: isCancelled
      ).renewed(
        script, in: .file(built), at: plan.version)
    else { return nil }
    return (path, Array(text.utf8))
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

/// Keeps other programs from writing the old seed while the new one takes its name.
///
/// A program that has the old file open keeps that file. In rollback mode, SQLite refuses to begin
/// a write in a file that has lost its name, so it is enough that no write is in progress. In WAL
/// mode, SQLite would go on writing the log, which has its name from the seed, and the new seed
/// would take that log for its own. So no other program may have such a seed open.
///
/// While the seed is held, this process must not open and close its file in another way, because
/// that would drop SQLite's locks.
struct HeldSeed: ~Copyable {
  private let path: Path
  private let identity: FileFacts.Identity
  private let connection: Connection

  /// Takes the locks; throws if another program still has the seed after some seconds.
  ///
  /// `facts` are those of the file that the new seed was made from.
  init(
    _ path: Path, facts: FileFacts, patience: Duration, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let deadline = Deadline(patience: min(patience, .seconds(5)), isCancelled: isCancelled)
    let connection: Connection
    do {
      connection = try Self.locked(path, deadline)
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
    // A program that was killed may have left its last changes in the log.
    let log = try NewFile.facts(path + "-wal")
    let isLogEmpty = log == nil || log?.size == 0
    guard isLogEmpty, try NewFile.facts(path) == facts else { throw .changedSeed(path.shown) }
    self.path = path
    identity = facts.identity
    self.connection = connection
  }

  private static func locked(
    _ path: Path, _ deadline: Deadline
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path.bytes, access: .readWrite, deadline: deadline)
    // A user who may not write the file needs no lock: SQLite could not take it.
    if !connection.isReadOnly {
      try connection.useOwnMemoryForLog()
      try connection.run("BEGIN IMMEDIATE")
    }
    return connection
  }

  /// Puts the new seed in the place of the old one.
  ///
  /// SQLite's locks do not keep a program from giving the name to another file (`mv`).
  consuming func replace(by built: Path) throws(UpgradeError) {
    guard try NewFile.facts(path)?.identity == identity else { throw .changedSeed(path.shown) }
    // The log is empty: this connection has made it, or a program that was killed has left it.
    // SQLite would not remove it, because the file loses its name.
    if !connection.isReadOnly {
      connection.keepLog()
      System.discard(path + "-wal")
      System.discard(path + "-shm")
    }
    try NewFile.replace(path, by: built)
  }
}
