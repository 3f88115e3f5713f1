/// All steps of an upgrade in ascending order; no two of them have the same number.
package struct Catalog: Sendable {
  package let all: [Migration]
  /// If there is no step, the path of a directory that may hold the scripts by mistake.
  private let onlyDirectory: String?

  /// Lists the directories of scripts, and takes the steps that the program has.
  ///
  /// It refuses two steps with the same number, plain numbers beside dotted ones, the number 0, and
  /// a script that undoes another.
  package init(of migrations: Migrations) throws(UpgradeError) {
    var steps: [Migration] = []
    var onlyDirectory: String?
    var goingDown: String?
    for source in migrations.sources {
      switch source {
      case .directory(let directory):
        let listing = try ScriptListing(of: directory)
        steps = steps.isEmpty ? listing.scripts : steps + listing.scripts
        onlyDirectory = onlyDirectory ?? listing.onlyDirectory
        goingDown = goingDown ?? listing.goingDown
      case .scripts(let scripts):
        for (name, text) in scripts {
          let version = try ScriptName.number(ofScript: name)
          steps.append(Migration(script: name, version, .sql(text)))
        }
      case .steps(let own): steps += own
      }
    }
    all = Self.sorted(steps)
    self.onlyDirectory = onlyDirectory
    try checkNumbers()
    if let goingDown { throw ScriptName.goingDown(goingDown) }
  }

  /// Sorts plain integers, because a boot may list thousands of scripts.
  ///
  /// A file system lists its files in any order. Steps with the same number are sorted by their
  /// names, so that the error is the same on every file system.
  private static func sorted(_ steps: [Migration]) -> [Migration] {
    let keys = steps.indices.map { UInt64(steps[$0].version.number) << 32 | UInt64($0) }
    var sorted = keys.sorted().map { steps[Int($0 & 0xffff_ffff)] }
    if sorted.indices.dropFirst().contains(where: { sorted[$0 - 1].version == sorted[$0].version })
    {
      sorted.sort { ($0.version, $0.origin) < ($1.version, $1.origin) }
    }
    return sorted
  }

  private func checkNumbers() throws(UpgradeError) {
    if let first = all.first, first.version == .zero { throw ScriptName.zero(first.origin) }
    if let plain = all.first(where: { !$0.version.isDotted }),
      let dotted = all.first(where: { $0.version.isDotted })
    {
      throw UpgradeError(
        .scripts,
        "\(plain.origin.quoted) has a plain number and \(dotted.origin.quoted) a dotted one",
        fix: "use plain numbers or dotted ones, not both")
    }
    for index in all.indices.dropFirst() where all[index - 1].version == all[index].version {
      let (one, next) = (all[index - 1], all[index])
      // Other tools write two scripts as a pair: `1_x.up.sql` and `1_x.down.sql`.
      let isPair = [one, next].contains { ScriptName.isForGoingDown($0.origin.utf8) }
      throw UpgradeError(
        .scripts,
        "\(one.origin.quoted) and \(next.origin.quoted) have the same number, \(one.version)",
        fix: isPair
          ? "Uplift only goes forward: remove the script that goes down"
          : "give the script that is not released, and the later ones of its branch, new numbers "
            + "above the newest, in the same order; if there is a seed, take that of the released "
            + "script's branch, repeat in it what was changed by hand in the rows of the other "
            + "one, and run uplift bake, with --content if a script reads the seed")
    }
  }

  package var newest: Version? { all.last?.version }

  /// The error for a target that no step has as its number.
  ///
  /// `seed` names the seed if it is at version 0; otherwise it is nil.
  package func notShipped(_ target: Version, seed: String? = nil) -> UpgradeError {
    if newest == nil, let onlyDirectory {
      return .name(
        onlyDirectory, "a directory, and there is no script beside it",
        fix: "put the scripts themselves beside it, each with a number")
    }
    if newest == nil, let seed {
      return UpgradeError(
        .scripts, "the seed \(seed.quoted) is at 0, and there is no script",
        fix: "set PRAGMA user_version = \(max(target, 1)) in the seed")
    }
    if newest == nil, target == .zero {
      return UpgradeError(
        .scripts, "there is no script, and no seed with a version above 0",
        fix: "ship the scripts or the seed, or correct their paths")
    }
    let others = newest.map { "the newest is \($0)" } ?? "and no other script"
    return UpgradeError(
      .scripts, "there is no script \(target), \(others)",
      fix: "ship the script, or set the target to the newest")
  }

  package func contains(_ version: Version) -> Bool { all.contains { $0.version == version } }

  /// The steps above a version, up to and including the target.
  package func steps(after version: Version, through target: Version) -> [Migration] {
    all.filter { $0.version > version && $0.version <= target }
  }
}

extension Migration {
  /// The step's name in an error: the path or the name of a script, or the name of a step and its
  /// line of Swift.
  fileprivate var origin: String {
    location.file == name ? path : "\(name) (\(location.file):\(location.line))"
  }
}
