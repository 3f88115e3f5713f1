internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Finds rows of the seed that were changed without a new number.
///
/// A database that has the number already never gets such rows. The old seed of the same number, if
/// it is among the fixtures, shows what was released.
struct ChangedContent: ~Copyable {
  private let seed: Connection
  private let upgrader: Upgrader
  private let isCancelled: () -> Bool

  init(_ upgrader: Upgrader, _ seed: Seed, isCancelled: @escaping () -> Bool) throws(ReleaseError) {
    self.seed = try SeedConnection.open(seed, prepare: upgrader.prepare, isCancelled: isCancelled)
    self.upgrader = upgrader
    self.isCancelled = isCancelled
  }

  /// The first table that the script refreshes and whose rows are not those of the old seed; nil if
  /// there is none.
  func table(since old: String, refreshedBy script: Script) throws(ReleaseError) -> Name? {
    let released = try SeedConnection.open(
      .file(old), prepare: upgrader.prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      let tables = try released.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
      while try tables.step() {
        guard let name = tables.name(0), !name.isInternal, script.mayMention(name) else { continue }
        if try !hasSameRows(name, as: released) { return name }
      }
    } catch {
      throw ReleaseError(error, at: old)
    }
    return nil
  }

  /// Compares the columns that both have, row by row in the order of the primary key.
  ///
  /// A script can only refresh a table with a primary key.
  private func hasSameRows(
    _ table: Name, as released: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let old = try released.columns(of: table)
    let key = old.primaryKey
    let now = try seed.columns(of: table)
    guard !key.isEmpty, now.primaryKey == key else { return true }
    let names = Set(now.filter { !$0.isGenerated }.map(\.name))
    let columns = old.map(\.name).filter(names.contains)
    let query: SQL =
      "SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table) ORDER BY \(SQL.list(key) { "\($0)" })"
    let before = try released.prepare(query)
    let after = try seed.prepare(query)
    while true {
      let (hasBefore, hasAfter) = (try before.step(), try after.step())
      guard hasBefore, hasAfter else { return hasBefore == hasAfter }
      guard columns.indices.allSatisfy({ before.value($0) == after.value($0) }) else {
        return false
      }
    }
  }
}
