internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Writes the script that reads the seed, with the differences to the seeds in `Released`.
struct ContentWriter {
  private let upgrader: Upgrader
  private let released: String?
  private let isCancelled: () -> Bool

  /// `released` is the name of another directory than `Released`.
  init(for upgrader: Upgrader, released: String?, isCancelled: @escaping () -> Bool) {
    (self.upgrader, self.released, self.isCancelled) = (upgrader, released, isCancelled)
  }

  /// The text of a new script with this number, and the names of its tables.
  ///
  /// With `overwrites`, it makes the tables equal to those of the seed, and loses what users have in
  /// them.
  func text(
    refreshing names: [String], in seed: Seed, at number: Version, overwrites: Bool
  ) throws(UpgradeError) -> (text: String, tables: [Name]) {
    let tables = try tables(names, seed, guardsUniques: !overwrites)
    let text =
      overwrites
      ? OverwriteScript(tables: tables).text
      : ContentScript(tables: tables).text(try differences(tables, in: seed, at: number))
    return (text, names.compactMap { name in tables.first { $0.name == Name(name) }?.name })
  }

  /// The text of a script for the next release; nil if it has no part with differences.
  ///
  /// What stands around them stays. If nobody has edited that, it follows a change of the tables.
  func renewed(
    _ old: Script, in seed: Seed, at number: Version
  ) throws(UpgradeError) -> String? {
    guard let parts = ContentParts(of: old) else { return nil }
    let names = parts.tables
    let script = ContentScript(tables: try tables(names, seed))
    let differences = try differences(script.tables, in: seed, at: number)
    if parts.before == ContentScript.beginning {
      var known = try oldSeeds().map { Seed.file($0.path) }
      if let seed = upgrader.seed { known.append(seed) }
      for seed in known {
        let old = try? ContentScript(tables: tables(names, seed))
        if old?.statements == parts.after { return script.text(differences) }
      }
    }
    guard parts.isAbout(script.tables) else {
      throw UpgradeError(
        .scripts, "the script that reads the seed was edited, and its tables have changed since",
        fix:
          "move it away, write it anew with uplift new --refresh \(names.joined(separator: " ")), and "
          + "repeat your changes")
    }
    return parts.before + script.block(differences) + parts.after
  }

  private func tables(
    _ names: [String], _ seed: Seed, guardsUniques: Bool = true
  ) throws(UpgradeError) -> [ContentTable] {
    try ContentTable.read(
      names,
      in: try SeedConnection.open(seed, prepare: upgrader.prepare, isCancelled: isCancelled),
      guardsUniques: guardsUniques)
  }

  private func differences(
    _ tables: [ContentTable], in seed: Seed, at number: Version
  ) throws(UpgradeError) -> Differences {
    let scratch = try ScratchDirectory()
    var olds: [(seed: OldSeed, copy: Path)] = []
    for seed in try oldSeeds() where seed.version < number {
      let copy = scratch("released-\(seed.version.number).db")
      try ScratchDirectory.copy(.file(seed.path), to: copy, isCancelled: isCancelled)
      try upgrade(copy, from: seed.version, below: number)
      olds.append((seed, copy))
    }
    guard !olds.isEmpty else {
      throw UpgradeError(
        .seed,
        "there is no seed of a release in \(try ReleasedDirectory(released, of: upgrader)?.path.shown ?? "Released")",
        fix:
          "put the seeds of your releases there, named as app-1.db for the version 1 (uplift release "
          + "does it), or write the script with --overwrite, for a table that users do not change")
    }
    return try Differences(of: tables, in: seed, at: number, since: olds, upgrader.prepare)
  }

  /// Runs the scripts since its release on a copy of a seed.
  private func upgrade(
    _ copy: Path, from version: Version, below number: Version
  ) throws(UpgradeError) {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let steps = scripts.all.filter { !$0.readsSeed && $0.migration.version < number }
      .map(\.migration)
    guard let last = steps.last?.version, last > version else { return }
    try upgrader.upgradeCopy(
      copy, beside: nil, by: steps, through: last, ifMissing: .fail, isCancelled: isCancelled)
  }

  /// The seeds of releases, in the order of their versions.
  func oldSeeds() throws(UpgradeError) -> [OldSeed] {
    guard let path = try ReleasedDirectory.older(than: upgrader, released, []).first else {
      return []
    }
    let floor = try ShippedScripts(of: upgrader.migrations).floor()
    return OldSeed.all(
      among: try StartingPoint.fixtures(in: path).filter { !$0.isBelow(floor) }, of: upgrader.seed)
  }
}
