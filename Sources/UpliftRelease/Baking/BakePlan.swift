internal import Uplift
internal import UpliftSystem

/// The old seed, the steps and the new version of a bake, decided before anything is written.
struct BakePlan {
  /// The old seed; nil if a first one is to be made from an empty database.
  let seed: DatabaseHeader?
  /// The version of the database that the steps start from.
  let base: Version
  /// The steps that run.
  let steps: [Migration]
  /// The steps that ship, also those above the target.
  ///
  /// An upgrade is refused if no step leads to the seed's version, and this may be above the target.
  let shipped: [Migration]
  /// The version of the new seed.
  let version: Version
  /// The path of the script that reads the seed, and its new path; nil if no script must be
  /// renamed.
  let renaming: Renaming?

  struct Renaming {
    let old: Path
    let new: Path
  }

  /// `released` is the newest version in the lock file: new content gets a number above it.
  init(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, seed: DatabaseHeader?,
    _ scripts: ShippedScripts, released: Version
  ) throws(UpgradeError) {
    try Self.refuse(upgrader, options, seed, scripts)
    let catalog = scripts.catalog
    let like = catalog.newest ?? .zero
    let seedVersion = seed?.version.written(like: like)
    let base = options.beginsEmpty ? .zero : seedVersion ?? .zero
    let seedScript = scripts.readingSeed.first?.migration
    // The script that reads the seed changes nothing in the seed itself.
    let all = catalog.all.filter { $0.version != seedScript?.version }
    let target = (upgrader.target ?? max(all.last?.version ?? .zero, base)).written(like: like)
    guard target >= base else {
      throw UpgradeError(
        .seed, "the target is \(target), below the seed's \(base)",
        fix: "name a later target, or begin with --empty and write the database with --output")
    }
    self.seed = seed
    self.base = base
    shipped = all.filter { $0.version > base }
    steps = shipped.filter { $0.version <= target }
    let reached = steps.last?.version ?? base
    if base == .zero, steps.isEmpty {
      let name = catalog.newest == nil && seedVersion == .zero ? upgrader.seed?.name : nil
      throw catalog.notShipped(target, seed: name)
    }
    if options.hasNewContent {
      let newest = max(reached, seedVersion ?? .zero, released.written(like: like))
      (version, renaming) = try Self.next(after: newest, seedScript, seed: seedVersion)
      // The new seed would count as one that has run this step.
      let number = version
      let skipped = shipped.first { $0.version > reached && $0.version <= number }
      guard let skipped else { return }
      throw UpgradeError(
        .scripts,
        "\(skipped.path.quoted) is above the target \(target), and the new content would come "
          + "after it",
        fix: "raise the target, or leave it out")
    }
    (version, renaming) = (target, nil)
    if options.output == nil, let seedScript, seedScript.version != target {
      throw UpgradeError(
        .scripts,
        "\(seedScript.path.quoted) reads the seed and has the number \(seedScript.version), "
          + "but the seed would be at \(target)",
        fix: "add --content, which gives the seed and this script the next number")
    }
    if upgrader.target != nil, reached != target, target != seedVersion {
      throw catalog.notShipped(target)
    }
  }

  /// Refuses scripts and a seed that no bake can begin with.
  private static func refuse(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, _ seed: DatabaseHeader?,
    _ scripts: ShippedScripts
  ) throws(UpgradeError) {
    let reading = scripts.readingSeed.map(\.migration.path)
    if reading.count > 1 {
      throw UpgradeError(
        .scripts, "\(reading[0].quoted) and \(reading[1].quoted) both read the seed",
        fix: "put both into one script, with the number of the seed")
    }
    if options.beginsEmpty, let script = reading.first {
      throw UpgradeError(
        .scripts, "\(script.quoted) reads the seed, and an empty database does not have its rows",
        fix: "bake without --empty, or remove the script until the new seed has its rows")
    }
    // The seed may have lost its version: the scripts that it has run would run once more. A bake
    // with `--output` leaves the seed as it is.
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
  }

  /// The number of the new content, and the script's path with this number.
  private static func next(
    after version: Version, _ step: Migration?, seed: Version?
  ) throws(UpgradeError) -> (Version, Renaming?) {
    guard let step else {
      throw UpgradeError(
        .scripts, "no script reads the seed, which is at \(seed ?? .zero)",
        fix: "uplift new --refresh TABLE writes the script")
    }
    // `uplift new --refresh` has given the script a number that is free.
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
    return (next, Renaming(old: path, new: path.parent.appending(name.utf8)))
  }
}
