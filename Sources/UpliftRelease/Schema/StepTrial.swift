internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Runs steps on a copy of the seed, to find out what they do to the schema.
struct StepTrial {
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, isCancelled: @escaping () -> Bool) {
    self.upgrader = upgrader
    self.isCancelled = isCancelled
  }

  /// The outcome of steps that ran on a copy of the seed.
  enum Outcome: Equatable {
    case keepsSchema
    /// `isAddition` is true if there are new tables, indexes, views or triggers, and no other
    /// difference.
    case changesSchema(isAddition: Bool)
    /// What a step makes is there already, or what it changes is not there any more: the step has
    /// run before.
    case findsItsChange
    /// It failed for another reason, for example because of a row.
    case fails
  }

  /// True if it is certain that the seed has not run the step, whose number is at or below the
  /// seed's version: another branch made the step, while new content took its number.
  ///
  /// The step runs twice on a copy of the seed. It is missing if the first run changes the schema
  /// and the second fails because of that change. It is also missing if the first run only adds
  /// objects, and the second changes nothing (`IF NOT EXISTS`). Otherwise nothing is certain, and it
  /// is never certain of a step in Swift: what that does may depend on rows, or on the time.
  ///
  /// `script` is the last one at or below the seed's version that may change more than rows: what an
  /// earlier one did, a later one may have undone.
  func isMissingInSeed(_ script: Script) throws(UpgradeError) -> Bool {
    let step = script.migration
    if case .code = step.body { return false }
    guard let before = Version(Int64(step.version.number) - 1), before > .zero else { return false }
    let scratch = try ScratchDirectory()
    let path = scratch("trial.db")
    try copySeed(to: path)
    guard case .changesSchema(let isAddition) = try run([step], after: before, on: path)
    else { return false }
    switch try run([step], after: before, on: path) {
    case .findsItsChange: return true
    case .keepsSchema: return isAddition
    case .changesSchema, .fails: return false
    }
  }

  func copySeed(to path: Path) throws(UpgradeError) {
    guard let seed = upgrader.seed else { throw .noSeed }
    try NewFile.copy(seed, to: path, isCancelled: isCancelled)
  }

  /// Runs the steps on a copy of the seed, after the copy has got the version `before`.
  ///
  /// The schema at the end is compared with `expected`, or with the one at the beginning.
  func run(
    _ steps: [Upgrader.Migration], after before: Version, on path: Path,
    expected: DatabaseSchema? = nil
  ) throws(UpgradeError) -> Outcome {
    guard let last = steps.last else { return .keepsSchema }
    let expected = if let expected { expected } else { try schema(of: path) }
    try write(before, to: path)
    do throws(UpgradeError) {
      _ = try Upgrader(
        database: path.shown, migrations: Migrations(steps), target: last.version,
        options: options, prepare: upgrader.prepare
      ).upgrade(isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      guard error.isAboutSteps else { throw error.onScratch }
      return error.isAboutSchema ? .findsItsChange : .fails
    }
    let schema = try schema(of: path)
    let differences = SchemaDifference.between(schema, expected)
    return schema == expected
      ? .keepsSchema : .changesSchema(isAddition: differences.allSatisfy(\.isAddition))
  }

  func schema(of path: Path) throws(UpgradeError) -> DatabaseSchema {
    try DatabaseSchema(of: .file(path), upgrader.prepare, isCancelled)
  }

  private func write(_ version: Version, to path: Path) throws(UpgradeError) {
    let connection = try SeedConnection.openCopy(path, prepare: nil, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try connection.run("PRAGMA user_version = \(version.number)")
    } catch {
      throw UpgradeError(error, at: path.shown)
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
    // 1 is `SQLITE_ERROR`. With another code, the words may be those of `RAISE` in a trigger.
    guard kind == .failed, let sqlite, sqlite.number == 1 else { return false }
    let words = message.dropLast(" (\(sqlite.name), \(sqlite.number))".count)
    let starts = [
      "no such table: ", "no such column: ", "no such index: ", "no such view: ",
      "no such trigger: ", "duplicate column name: ", "there is already ", "cannot drop column ",
      "use DROP ", "error in ",
    ]
    let ends = [" already exists", " values were supplied", " because it is a view"]
    return starts.contains { words.hasPrefix($0) }
      || ends.contains { words.hasSuffix($0) }
      || [" has no column named ", " values for "].contains { words.contains($0) }
  }
}
