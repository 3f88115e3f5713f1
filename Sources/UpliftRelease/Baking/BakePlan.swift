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
  /// The last step that the seed should have run and that may change its schema; nil if there is
  /// none.
  let lastInSeed: Script?
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
  ) throws(ReleaseError) {
    let catalog = scripts.catalog
    let like = catalog.newest ?? .zero
    let seedVersion = seed?.version.written(like: like)
    let base = options.beginsEmpty ? .zero : seedVersion ?? .zero
    let seedScript = scripts.readingSeed.first?.migration
    if let seedScript, scripts.readingSeed.count > 1 {
      throw .severalSeedScripts(
        first: seedScript.path, second: scripts.readingSeed[1].migration.path)
    }
    // The script that reads the seed changes nothing in the seed itself. If the bake begins with an
    // empty database, the script copies its rows from the old seed.
    let all = catalog.all.filter { step in
      step.version != seedScript?.version || options.beginsEmpty && step.version == seedVersion
    }
    let last = all.last?.version ?? .zero
    let target = (upgrader.target ?? max(last, base)).written(like: like)
    guard target >= base else { throw .targetBelowSeed(target: target, seed: base) }
    // The seed may have lost its version: the scripts that it has run would run once more. A bake
    // with `--output` leaves the seed as it is.
    if let seed, seed.version == .zero, !options.beginsEmpty, options.output == nil,
      let file = upgrader.seed, !file.isEmpty(seed)
    {
      throw .seedUnversioned(path: file.name)
    }

    self.seed = seed
    self.base = base
    lastInSeed = scripts.lastChangingSchema(through: base)
    shipped = all.filter { $0.version > base }
    steps = shipped.filter { $0.version <= target }
    let reached = steps.last?.version ?? base
    if base == .zero, steps.isEmpty {
      let name = catalog.newest == nil && seedVersion == .zero ? upgrader.seed?.name : nil
      throw .upgrade(catalog.notShipped(target, seed: name))
    }
    guard options.hasNewContent else {
      version = target
      renaming = nil
      if options.output == nil, let seedScript, seedScript.version != target {
        throw .contentNotBaked(
          script: seedScript.path, number: seedScript.version, seed: target)
      }
      if upgrader.target != nil, reached != target, target != seedVersion {
        throw .upgrade(catalog.notShipped(target))
      }
      return
    }
    guard let seedScript else { throw .noSeedScript(seed: seedVersion ?? .zero) }
    let newest = max(reached, seedVersion ?? .zero, released.written(like: like))
    (version, renaming) = try Self.next(after: newest, seedScript)
    // The new seed would count as one that has run this step.
    let number = version
    let skipped = shipped.first { step in
      step.version > reached && step.version <= number && step.version != seedScript.version
    }
    if let skipped { throw .stepAboveTarget(skipped.path, target: target) }
  }

  /// The number of the new content, and the script's path with this number.
  private static func next(
    after version: Version, _ step: Migration
  ) throws(ReleaseError) -> (Version, Renaming?) {
    // `uplift new --refresh` has given the script a number that is free.
    if step.version > version { return (step.version, nil) }
    let style = ScriptStyle(newest: step.name)
    // No date is passed, so that the same seed gets the same number on any day.
    guard let next = style.next(after: version, today: nil) else {
      throw .noNumberLeft(after: version)
    }
    guard case .file(let path) = step.body else {
      throw .seedStepInProgram(name: step.name, number: next)
    }
    let name = style.written(next) + ScriptName.parts(of: step.name).rest + step.name.suffix(4)
    return (next, Renaming(old: path, new: path.parent.appending(name.utf8)))
  }
}
