internal import Uplift
internal import UpliftSystem

/// The versions below the seed's that a database with a certain schema may have.
///
/// Their schemas are not known, because the seed has run their steps. So the steps between such a
/// version and the seed's run on a copy of the seed that has the schema. If they lead to the schema
/// of the seed, a database of that version may have had it from the beginning: its steps may change
/// rows only, or undo each other's changes.
struct OlderVersions {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool
  private let seed: Version
  /// All steps, of which those up to the seed's version are in the seed.
  private let steps: [Step]
  private let trial: StepTrial

  /// A step, with what its text tells.
  private struct Step {
    let migration: Upgrader.Migration
    let readsSeed: Bool
    let changesRowsOnly: Bool

    var version: Version { migration.version }
  }

  struct Found {
    let version: Version
    /// False if a step changes more than rows, or failed because of a row.
    let isCertain: Bool
  }

  init(
    _ upgrader: Upgrader, seed: Version, isCancelled: @escaping () -> Bool
  ) throws(ReleaseError) {
    let catalog = try translatingUpgradeError { () throws(UpgradeError) in
      try Catalog(of: upgrader.migrations)
    }
    self.upgrader = upgrader
    self.isCancelled = isCancelled
    self.seed = seed
    steps = catalog.steps(after: .zero, through: max(seed, catalog.newest ?? seed)).map { step in
      Step(
        migration: step, readsSeed: step.readsSeed,
        changesRowsOnly: StepTrial.changesRowsOnly(step))
    }
    trial = StepTrial(upgrader, isCancelled: isCancelled)
  }

  /// The versions above which all steps of the seed certainly change rows only.
  func certain() -> [Version] {
    candidates().prefix { $0.steps.allSatisfy(\.changesRowsOnly) }.map(\.version)
  }

  /// The versions that a database with the schema of `version` may have; `isKnown` is true for a
  /// version whose schema is known.
  func all(
    withSchemaOf version: Version, isKnown: (Version) -> Bool
  ) throws(ReleaseError) -> [Found] {
    let scratch = try ScratchDirectory()
    let (start, path) = (scratch("start.db"), scratch("older.db"))
    var schemaOfSeed: DatabaseSchema?
    var found: [Found] = []
    for (before, steps) in candidates() {
      if steps.allSatisfy(\.changesRowsOnly) {
        // Such a version has the schema of the seed.
        if version == seed { found.append(Found(version: before, isCertain: true)) }
        continue
      }
      if isKnown(before) { continue }
      if schemaOfSeed == nil {
        try trial.copySeed(to: start)
        schemaOfSeed = try trial.schema(of: start)
        try upgrade(start, to: version)
      }
      scratch.discardDatabase(path)
      try NewFile.copy(start, to: path, isSynced: false, isCancelled: isCancelled)
      let running = steps.filter { !$0.readsSeed }.map(\.migration)
      let outcome = try trial.run(running, after: before, on: path, expected: schemaOfSeed)
      if outcome == .keepsSchema || outcome == .fails {
        found.append(Found(version: before, isCertain: false))
      }
    }
    return found
  }

  /// The versions before each step of the seed, the newest first, with the steps from there to the
  /// seed.
  private func candidates() -> [(version: Version, steps: ArraySlice<Step>)] {
    let last = steps.lastIndex { $0.version <= seed }
    // Without a step of the seed's number, somebody has set that number by hand.
    guard let last, steps[last].version == seed else { return [] }
    return steps[...last].indices.reversed().compactMap { index in
      let before =
        index > 0 ? steps[index - 1].version : Version(Int64(steps[index].version.number) - 1)
      guard let before, before > .zero else { return nil }
      return (before.written(like: seed), steps[index...last])
    }
  }

  /// Runs the steps above the seed on a copy of it, up to a version.
  ///
  /// A step that reads the seed cannot change the schema.
  private func upgrade(_ path: Path, to version: Version) throws(ReleaseError) {
    let later = steps.filter { $0.version > seed && $0.version <= version && !$0.readsSeed }
      .map(\.migration)
    guard let last = later.last else { return }
    do throws(UpgradeError) {
      _ = try Upgrader(
        database: path.shown, migrations: Upgrader.Migrations(later), target: last.version,
        options: SchemaHistory.options(of: upgrader, ifMissing: .fail), prepare: upgrader.prepare
      ).upgrade(isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      throw .scriptsFail(error, start: upgrader.seed?.name ?? path.shown, target: version)
    }
  }
}
