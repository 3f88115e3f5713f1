internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Runs a step on a copy of the seed, to find out what it does to the schema.
///
/// If it leaves the schema as it is, a database may have this schema before the step, too, and the
/// schema does not tell whether the step has run. If it changes the schema, perhaps the seed has
/// not run it.
struct StepTrial {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, isCancelled: @escaping () -> Bool) {
    self.upgrader = upgrader
    self.isCancelled = isCancelled
  }

  /// True if it is certain that the step changes rows only.
  static func changesRowsOnly(_ step: Upgrader.Migration) -> Bool {
    do {
      let script = try Script(reading: step)
      if script.readsSeed { return true }
      // The statements of a step in Swift are not known.
      if case .code = step.body { return false }
      let words = script.withText { SQLWords(Array($0)) }
      return !["create", "alter", "drop"].contains { words.contains($0) }
    } catch {
      return false
    }
  }

  /// The outcome of a step that ran on a copy of the seed.
  enum Outcome {
    case keepsSchema, changesSchema
    /// An object or a column is there already, or is not there: the seed has run the step.
    case findsItsChange
    /// It failed for another reason, for example because of a row.
    case fails
  }

  /// True if it is certain that the seed has not run the step, whose number is at or below the
  /// seed's version: another branch made the step, while new content took its number.
  ///
  /// The step runs twice on a copy of the seed. The first run must change the schema, and the
  /// second must fail because of that change. If a step can run twice, nothing is certain.
  ///
  /// `step` is the last one at or below the seed's version: what an earlier one did, a later one may
  /// have undone.
  func isMissingInSeed(_ step: Upgrader.Migration) throws(ReleaseError) -> Bool {
    guard let before = Version(Int64(step.version.number) - 1), before > .zero,
      !Self.changesRowsOnly(step)
    else { return false }
    let scratch = try ScratchDirectory()
    let path = scratch("trial.db")
    try copySeed(to: path)
    guard try run(step, after: before, on: path) == .changesSchema else { return false }
    return try run(step, after: before, on: path) == .findsItsChange
  }

  /// Runs the step on a copy of the seed that has the version `before`.
  func run(_ step: Upgrader.Migration, after before: Version) throws(ReleaseError) -> Outcome {
    let scratch = try ScratchDirectory()
    let path = scratch("trial.db")
    try copySeed(to: path)
    return try run(step, after: before, on: path)
  }

  private func copySeed(to path: Path) throws(ReleaseError) {
    guard let seed = upgrader.seed else { throw .noSeed }
    try NewFile.copy(seed, to: path, isCancelled: isCancelled)
  }

  private func run(
    _ step: Upgrader.Migration, after before: Version, on path: Path
  ) throws(ReleaseError) -> Outcome {
    let schemaBefore = try DatabaseSchema(of: .file(path.shown), upgrader.prepare, isCancelled)
    try write(before, to: path)
    do throws(UpgradeError) {
      _ = try Upgrader(
        database: path.shown, migrations: Migrations([step]), target: step.version,
        options: options, prepare: upgrader.prepare
      ).upgrade(isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      // Any other error comes from the machine (disk, rights), not from the step.
      guard [1, 65, 76, 78].contains(error.exitCode) else { throw .upgrade(error) }
      return error.isAboutSchema ? .findsItsChange : .fails
    }
    let schema = try DatabaseSchema(of: .file(path.shown), upgrader.prepare, isCancelled)
    return schema == schemaBefore ? .keepsSchema : .changesSchema
  }

  private func write(_ version: Version, to path: Path) throws(ReleaseError) {
    let connection = try SeedConnection.openCopy(path, prepare: nil, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA user_version = \(version.number)")
    } catch {
      throw ReleaseError(error, at: path.shown)
    }
  }

  private var options: Upgrader.Options {
    var options = upgrader.options.onScratch(ifMissing: .fail)
    options.foreignKeys = .none
    options.doubleQuotedStrings = true
    return options
  }
}

extension UpgradeError {
  /// True if a statement failed because an object or a column is there already, or is not there.
  fileprivate var isAboutSchema: Bool {
    guard case .failed(let failure) = self, case .sqlite(let message) = failure.reason else {
      return false
    }
    let starts = [
      "no such table: ", "no such column: ", "no such index: ", "no such view: ",
      "no such trigger: ", "duplicate column name: ", "there is already ",
    ]
    return starts.contains { message.words.hasPrefix($0) }
      || message.words.hasSuffix(" already exists")
  }
}
