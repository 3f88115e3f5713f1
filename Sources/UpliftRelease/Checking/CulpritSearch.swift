internal import Uplift
internal import UpliftSQLite

/// Finds the made-up rows on which a script fails, by running it without some of them.
struct CulpritSearch {
  private let script: Script
  private let failure: UpgradeError
  private let rows: MadeUpRows?

  init(_ script: Script, _ failure: UpgradeError, _ rows: MadeUpRows?) {
    (self.script, self.failure, self.rows) = (script, failure, rows)
  }

  /// One row, or two of one table, on which the script fails; empty if neither is enough.
  ///
  /// `upgrade` runs the script on a copy of the database.
  func run(
    upgrade: (CheckObserver) throws(UpgradeError) -> Void
  ) throws(UpgradeError) -> [TableRow] {
    guard let rows else { return [] }
    func outcome(
      _ table: Name, _ kept: [TableRow]
    ) throws(UpgradeError) -> (Outcome, had: [TableRow]) {
      let version = script.migration.version
      let observer = CheckObserver(
        rows, idleThrough: .zero,
        CheckObserver.Reduction(version: version, table: table, rows: kept))
      do {
        try upgrade(observer)
        return (.passes, observer.reduced)
      } catch {
        guard error.kind == .failed else { throw error.onScratch }
        return (isSame(error) ? .failsAlike : .failsOtherwise, observer.reduced)
      }
    }
    let suspects = suspects(rows.filled)
    // A table is to blame if the script passes without its rows, or else if it fails in another way.
    for isCulprit in [{ $0 == .passes }, { $0 != .failsAlike }] as [(Outcome) -> Bool] {
      for table in suspects {
        let (without, had) = try outcome(table, [])
        guard isCulprit(without) else { continue }
        let pairs = had.indices.flatMap { one in had[(one + 1)...].map { [had[one], $0] } }
        for some in had.map({ [$0] }) + pairs where try outcome(table, some).0 == .failsAlike {
          return some
        }
      }
    }
    return []
  }

  /// How the script ends with other rows.
  private enum Outcome { case passes, failsAlike, failsOtherwise }

  /// The tables to blame, the likely ones first: those of the orphans, those that the line of the
  /// script names, and those that the script names.
  private func suspects(_ filled: Set<Name>) -> [Name] {
    let words = SQLWords(Array((failure.place?.excerpt?.text ?? "").utf8))
    let named = filled.filter { script.mayMention($0) }.sorted()
    let orphans = failure.orphans?.rows.map { Name($0.table) } ?? []
    var seen: Set<Name> = []
    return (orphans + named.filter { words.contains($0.folded) } + named)
      .filter { filled.contains($0) && seen.insert($0).inserted }
  }

  /// True for the same fault at the same place; it may be about other rows.
  private func isSame(_ other: UpgradeError) -> Bool {
    guard other.place == failure.place else { return false }
    return other.orphans != nil && failure.orphans != nil || other.message == failure.message
  }
}
