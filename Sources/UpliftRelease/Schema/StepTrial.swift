internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Runs a step on a copy of the seed, to find out whether the seed has run it.
struct StepTrial {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, isCancelled: @escaping () -> Bool) {
    self.upgrader = upgrader
    self.isCancelled = isCancelled
  }

  /// True if it is certain that the seed has not run the step, whose number is at or below the
  /// seed's version: another branch made the step, while new content took its number.
  ///
  /// The step runs twice on a copy of the seed. It is missing if the first run changes the schema
  /// and the second fails. It is also missing if the first run only adds objects, and the second
  /// changes nothing (`IF NOT EXISTS`). Otherwise nothing is certain, and it is never certain of a
  /// step in Swift: what that does may depend on rows, or on the time.
  ///
  /// `script` is the last one at or below the seed's version that may change more than rows: what an
  /// earlier one did, a later one may have undone.
  func isMissingInSeed(_ script: Script) throws(UpgradeError) -> Bool {
    let step = script.migration
    if case .code = step.body { return false }
    guard let seed = upgrader.seed, step.version > 1 else { return false }
    let scratch = try ScratchDirectory()
    let path = scratch("trial.db")
    try NewFile.copy(seed, to: path, isCancelled: isCancelled)
    let before = try DatabaseSchema(of: .file(path), upgrader.prepare, isCancelled)
    guard let first = try run(step, on: path), first != before else { return false }
    guard let second = try run(step, on: path) else { return true }
    return second == first
      && SchemaDifference.between(first, before).allSatisfy(\.isAddition)
  }

  /// The schema after the step; nil if it fails.
  private func run(
    _ step: Upgrader.Migration, on path: Path
  ) throws(UpgradeError) -> DatabaseSchema? {
    try SeedConnection.withCopy(path, isCancelled: isCancelled) { connection throws(SQLiteError) in
      try connection.run("PRAGMA user_version = \(step.version.number - 1)")
    }
    var options = upgrader.options.onScratch(ifMissing: .fail)
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    do throws(UpgradeError) {
      _ = try Upgrader(
        database: path.shown, migrations: [step], target: step.version, options: options,
        prepare: upgrader.prepare
      ).upgrade(isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      guard error.isAboutSteps else { throw error.onScratch }
      return nil
    }
    return try DatabaseSchema(of: .file(path), upgrader.prepare, isCancelled)
  }
}
