internal import Uplift
internal import UpliftSystem

/// What a bake starts from and where it leads; nothing is written yet.
struct BakePlan {
  /// The old seed; nil if a first one is to be made from an empty database.
  let seed: DatabaseHeader?
  /// The version of the database that the steps start from.
  let base: Version
  /// The steps that run.
  let steps: [Migration]
  /// The version of the new seed.
  let version: Version
  /// The script that reads the seed, and its new path; nil if no script must be renamed.
  let renaming: (script: Script, path: Path)?

  init(
    _ upgrader: Upgrader, _ options: Upgrader.BakeOptions, seed: DatabaseHeader?
  ) throws(ReleaseError) {
    let catalog = try upgrading { () throws(UpgradeError) in
      try Catalog(of: upgrader.migrations)
    }
    let like = catalog.newest ?? .zero
    let seeds = seed?.version.written(like: like)
    let base = options.beginsEmpty ? .zero : seeds ?? .zero
    let seedScripts = try SeedScript.all(in: catalog)
    if let first = seedScripts.first, seedScripts.count > 1 {
      throw .severalSeedScripts(
        first: first.migration.path, second: seedScripts[1].migration.path)
    }
    let seedScript = seedScripts.first
    let newest = Self.newest(in: catalog, except: seedScript)
    let target = (upgrader.target ?? max(newest, base)).written(like: like)
    guard target >= base else { throw .targetBelowSeed(target: target, seed: base) }

    self.seed = seed
    self.base = base
    // The script that reads the seed changes nothing in the seed itself. From an empty database its
    // rows come from the old seed.
    steps = catalog.steps(after: base, through: target).filter { step in
      step.version != seedScript?.migration.version || options.beginsEmpty && step.version == seeds
    }
    let reached = steps.last?.version ?? base
    if base == .zero, steps.isEmpty {
      throw .upgrade(.targetNotShipped(target, newest: catalog.newest))
    }
    guard options.hasNewContent else {
      version = target
      renaming = nil
      if options.output == nil, let seedScript, seedScript.migration.version != target {
        throw .contentNotBaked(
          script: seedScript.migration.path, number: seedScript.migration.version, seed: target)
      }
      if upgrader.target != nil, reached != target, target != seeds {
        throw .upgrade(.targetNotShipped(target, newest: catalog.newest))
      }
      return
    }
    guard let seedScript else { throw .noSeedScript(seed: seeds ?? .zero) }
    (version, renaming) = try Self.next(after: max(reached, seeds ?? .zero), seedScript)
  }

  /// The newest step that does not read the seed.
  private static func newest(in catalog: Catalog, except seedScript: Script?) -> Version {
    guard let newest = catalog.newest else { return .zero }
    guard newest == seedScript?.migration.version else { return newest }
    let before = Version(unchecked: newest.number - 1)
    return catalog.steps(after: .zero, through: before).last?.version ?? .zero
  }

  /// The number of the new content, and the script's path with this number.
  private static func next(
    after version: Version, _ script: Script
  ) throws(ReleaseError) -> (Version, (Script, Path)?) {
    let step = script.migration
    // `uplift new --refresh` has given the script a number that is free.
    if step.version > version { return (step.version, nil) }
    let style = ScriptStyle(newest: step.name)
    guard let next = style.next(after: version, today: System.stamp()) else {
      throw .noNumberLeft(after: version)
    }
    guard case .file(let path) = step.body else {
      throw .seedStepInProgram(name: step.name, number: next)
    }
    let name = style.written(next) + ScriptName.parts(of: step.name).rest + step.name.suffix(4)
    return (next, (script, path.parent.appending(name.utf8)))
  }
}
