internal import Uplift
internal import UpliftSystem

/// The old seed, the steps and the new version of a bake, decided before anything is written.
struct BakePlan {
  /// The old seed; nil if a first one is to be made from an empty database.
  let seed: DatabaseHeader?
  /// All steps but the one that reads the seed: it changes nothing in the seed itself.
  let all: [Migration]
  /// Those that run.
  let steps: [Migration]
  /// The version that they lead to.
  let reached: Version
  /// The version of the new seed.
  let version: Version
  /// The path of the script that reads the seed, and its new path; nil if its name stays.
  let renaming: (old: Path, new: Path)?

  /// `released` is the newest version in the lock file: new content gets a number above it.
  init(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, seed: DatabaseHeader?,
    _ scripts: ShippedScripts, released: Version
  ) throws(UpgradeError) {
    let seedScript = try Self.seedScript(scripts, options)
    // The seed may have lost its version: the scripts that it has run would run once more.
    if let seed, seed.version == .zero, !options.beginsEmpty, options.output == nil,
      let file = upgrader.seed, !file.isEmpty(seed)
    {
      throw .seed(
        file.name,
        "has tables and the version 0: no script has run on it, or it has lost its version",
        fix: "if scripts have run on it, set PRAGMA user_version in it to the number of the last "
          + "one; otherwise leave the seed as it is: a new database is a copy of it, and runs all "
          + "scripts")
    }
    let catalog = scripts.catalog
    let like = catalog.newest ?? .zero
    let seedVersion = seed?.version.written(like: like)
    let all = catalog.all.filter { $0.version != seedScript?.version }
    let base = options.beginsEmpty ? .zero : seedVersion ?? .zero
    self.seed = seed
    self.all = all
    // All pending scripts run before new content.
    let wanted = options.hasNewContent ? nil : upgrader.target
    let target = (wanted ?? max(all.last?.version ?? .zero, base)).written(like: like)
    steps = catalog.steps(after: base, through: target).filter { $0.version != seedScript?.version }
    reached = steps.last?.version ?? base
    if options.hasNewContent {
      let newest = max(reached, seedVersion ?? .zero, released.written(like: like))
      (version, renaming) = try Self.next(after: newest, seedScript, seed: seedVersion)
      return
    }
    (version, renaming) = (target, nil)
    guard target >= base else {
      throw UpgradeError(
        .seed, "the target is \(target), below the seed's \(base)",
        fix: "name a later target, or begin with --empty and write the database with --output")
    }
    if options.output == nil, let seedScript, seedScript.version != target {
      throw UpgradeError(
        .scripts,
        "\(seedScript.path.quoted) reads the seed and has the number \(seedScript.version), "
          + "but the seed would be at \(target)",
        fix: "add --content, which gives the seed and this script the next number")
    }
    // The number of the script that reads the seed is the seed's.
    guard reached == target || target == seedVersion else { throw catalog.notShipped(target) }
  }

  /// The script that reads the seed, if there is one.
  private static func seedScript(
    _ scripts: ShippedScripts, _ options: Upgrader.BakeOptions
  ) throws(UpgradeError) -> Migration? {
    let reading = scripts.readingSeed.map(\.migration)
    if reading.count > 1 {
      throw UpgradeError(
        .scripts, "\(reading[0].path.quoted) and \(reading[1].path.quoted) both read the seed",
        fix: "put both into one script, with the number of the seed")
    }
    if options.beginsEmpty, let script = reading.first {
      throw UpgradeError(
        .scripts,
        "\(script.path.quoted) reads the seed, and an empty database does not have its rows",
        fix: "bake without --empty, or remove the script until the new seed has its rows")
    }
    return reading.first
  }

  /// The number of the new content, and the script's path with this number.
  private static func next(
    after version: Version, _ step: Migration?, seed: Version?
  ) throws(UpgradeError) -> (Version, renaming: (old: Path, new: Path)?) {
    guard let step else {
      throw UpgradeError(
        .scripts, "no script reads the seed, which is at \(seed ?? .zero)",
        fix: "uplift new --refresh TABLE writes the script")
    }
    // `uplift new --refresh`, or a bake that was stopped, has given the script a number that is free.
    if step.version > version { return (step.version, nil) }
    let style = ScriptStyle(newest: step.name)
    // No date is passed, so that the same seed gets the same number on any day.
    guard let next = style.next(after: version, today: nil) else {
      throw .noNumberLeft(after: version)
    }
    guard case .file(let path) = step.body else {
      throw UpgradeError(
        .scripts,
        "the step \(step.name.quoted) reads the seed, and the new seed would be at \(next)",
        fix: "give the step the number \(next), then bake again")
    }
    let name = style.written(next) + ScriptName.parts(of: step.name).rest + step.name.suffix(4)
    return (next, (path, path.parent.appending(name.utf8)))
  }
}
