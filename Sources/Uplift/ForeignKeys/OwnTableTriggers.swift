internal import UpliftSQLite

/// Finds triggers on the tables that virtual tables keep for themselves.
///
/// A full-text table writes its index when the transaction ends, and an R-tree prepares its statements
/// once for all scripts. So such a trigger may make orphans that no check sees, and SQLite itself may
/// crash at the next savepoint.
struct OwnTableTriggers {
  private let hasVirtualTables: Bool

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    hasVirtualTables =
      try connection.integer(
        """
        SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0)
        """) == 1
  }

  /// Why a script that changed these tables is refused; nil if none of them has such a trigger.
  func refusal(
    changed: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Refusal? {
    guard hasVirtualTables || connection.scriptGuard.isLastInTransaction else { return nil }
    let triggers = try connection.prepare(
      """
      SELECT trigger.name, trigger.tbl_name
      FROM main.sqlite_master AS trigger, pragma_table_list(trigger.tbl_name) AS owner
      WHERE trigger.type = 'trigger' AND owner.schema = 'main' AND owner.type = 'shadow'
      ORDER BY trigger.name
      """)
    while try triggers.step() {
      guard let trigger = triggers.name(0), let table = triggers.name(1) else { continue }
      if let owner = changed.first(where: table.isShadow(of:)) {
        return .ownTableTrigger(trigger: trigger.shown, of: owner.shown)
      }
    }
    return nil
  }
}
