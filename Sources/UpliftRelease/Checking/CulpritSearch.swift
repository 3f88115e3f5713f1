internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Finds the made-up rows on which a script fails, by running it without some of them.
struct CulpritSearch {
  struct Culprit {
    /// The rows on which the script fails; empty if neither one row nor two rows of one table are
    /// enough.
    let rows: [TableRow]
    /// The rows to leave in each table, so that the script does not fail for this reason.
    let remainder: [Name: RowFiller.Remainder]
  }

  private let script: Script
  private let failure: UpgradeError
  private let filler: RowFiller
  private let isContent: (Name) -> Bool
  private let isCancelled: () -> Bool

  init(
    _ script: Script, _ failure: UpgradeError, _ filler: RowFiller,
    isContent: @escaping (Name) -> Bool, isCancelled: @escaping () -> Bool
  ) {
    self.script = script
    self.failure = failure
    self.filler = filler
    self.isContent = isContent
    self.isCancelled = isCancelled
  }

  /// The tables to blame, the likely ones first: those of the orphans, those that the line of the
  /// script names, and those that the script names.
  private var suspects: [Name] {
    var tables = failure.orphans?.rows.map { Name($0.table) } ?? []
    let words = SQLWords(Array((failure.place?.excerpt?.text ?? "").utf8))
    let named = filler.state.filled.filter { script.mayMention($0) }.sorted()
    tables += named.filter { words.contains($0.folded) } + named
    var seen: Set<Name> = []
    return tables.filter { filler.state.filled.contains($0) && seen.insert($0).inserted }
  }

  /// True for the same fault at the same place; it may be about other rows.
  private func isSame(_ other: UpgradeError) -> Bool {
    guard other.place == failure.place else { return false }
    return other.orphans != nil && failure.orphans != nil || other.message == failure.message
  }

  /// Tries the script on copies of a database until the rows at fault are found.
  ///
  /// `path` is the database before the script; `upgrade` runs the script on a copy of it.
  func run(
    _ path: Path, _ scratch: borrowing ScratchDirectory,
    upgrade: (Path, RowFiller) throws(UpgradeError) -> Void
  ) throws(UpgradeError) -> Culprit {
    var removed: [Name: [TableRow]] = [:]
    func outcome(_ remainder: [Name: RowFiller.Remainder]) throws(UpgradeError) -> Outcome {
      let trial = scratch("trial.db")
      scratch.discardDatabase(trial)
      defer { scratch.discardDatabase(trial) }
      if try NewFile.facts(path) != nil {
        try NewFile.copy(path, to: trial, isSynced: false, isCancelled: isCancelled)
      }
      let observer = RowFiller(filler.state, usual: filler.usual, isContent: isContent)
      observer.remainders = [script.migration.version: remainder]
      defer { removed = observer.removed }
      do {
        try upgrade(trial, observer)
        return .passes
      } catch {
        if observer.isStopped { return .failsOtherwise }
        guard error.kind == .failed else { throw error.onScratch }
        return isSame(error) ? .failsAlike : .failsOtherwise
      }
    }
    for table in suspects {
      guard try outcome([table: .none]) == .passes else { continue }
      let rows = removed[table] ?? []
      for row in rows where try outcome([table: .rows([row])]) == .failsAlike {
        return Culprit(rows: [row], remainder: [table: .none])
      }
      for (index, row) in rows.enumerated() {
        for other in rows[(index + 1)...]
        where try outcome([table: .rows([row, other])]) == .failsAlike {
          return Culprit(rows: [row, other], remainder: [table: .none])
        }
      }
      return Culprit(rows: [], remainder: [table: .none])
    }
    // Rows of several tables have the fault, so each of them is tried without all others.
    let none = filler.remainderOfNone
    guard try outcome(none) == .passes else { return Culprit(rows: [], remainder: none) }
    let rows = removed
    for table in suspects {
      for row in rows[table] ?? []
      where try outcome(none.merging([table: .rows([row])]) { $1 }) == .failsAlike {
        return Culprit(rows: [row], remainder: none)
      }
    }
    return Culprit(rows: [], remainder: none)
  }

  /// How the script ends with other rows.
  private enum Outcome {
    case passes
    case failsAlike
    case failsOtherwise
  }
}
