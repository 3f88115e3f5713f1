internal import Uplift
internal import UpliftSystem

/// The versions below the seed's that a database with a given schema may have.
///
/// The seed has run their steps, so their schemas are not known. The steps between such a version
/// and the seed's run on a copy of the seed that has got the given schema. If they end in the schema
/// of the seed, or fail for a reason that is not the schema, the version is possible: its steps may
/// change rows only, or undo each other's changes.
struct OlderVersions {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool
  private let seed: Version
  /// The number of older content that somebody says the database has.
  private let oldContent: Version?
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
    /// True if all steps above the version certainly change rows only.
    let isCertain: Bool
  }

  init(
    _ upgrader: Upgrader, _ scripts: ShippedScripts, seed: Version, claimed: Version?,
    isCancelled: @escaping () -> Bool
  ) {
    self.upgrader = upgrader
    self.isCancelled = isCancelled
    self.seed = seed
    oldContent = claimed.flatMap { scripts.mayBeOldContent($0) ? $0 : nil }
    let byVersion = Dictionary(uniqueKeysWithValues: scripts.all.map { ($0.migration.version, $0) })
    steps = scripts.catalog.all.map { step in
      let script = byVersion[step.version]
      return Step(
        migration: step, readsSeed: script?.readsSeed ?? false,
        changesRowsOnly: script?.changesRowsOnly ?? false)
    }
    trial = StepTrial(upgrader, isCancelled: isCancelled)
  }

  /// The versions above which all steps of the seed certainly change rows only.
  func certain() -> [Version] {
    let versions = candidates().prefix { $0.steps.allSatisfy(\.changesRowsOnly) }.map(\.version)
    guard let oldContent, oldContent < seed, !candidates().isEmpty else { return versions }
    let changesRowsOnly = steps.allSatisfy { step in
      step.version <= oldContent || step.version > seed || step.changesRowsOnly
    }
    return changesRowsOnly ? versions + [oldContent] : versions
  }

  /// The versions that a database with the schema of `version` may have; `isKnown` is true for a
  /// version whose schema is known.
  func all(
    withSchemaOf version: Version, isKnown: (Version) -> Bool
  ) throws(ReleaseError) -> [Found] {
    let scratch = try ScratchDirectory()
    let (start, path) = (scratch("start.db"), scratch("older.db"))
    var schemaOfSeed: DatabaseSchema?
    // These versions have the schema of the seed.
    let certain = certain()
    var found: [Found] = []
    if version == seed { found = certain.map { Found(version: $0, isCertain: true) } }
    for (before, steps) in candidates() {
      if certain.contains(before) || isKnown(before) { continue }
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

  /// For each step in the seed, the newest first: the version before it, and the steps from it to
  /// the seed's version.
  private func candidates() -> [(version: Version, steps: ArraySlice<Step>)] {
    let last = steps.lastIndex { $0.version <= seed }
    // If no step has the seed's number, somebody has set it by hand, and the steps in the seed are
    // not known.
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
