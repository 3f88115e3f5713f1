internal import UpliftSQLite

/// The tables that virtual tables keep for themselves, such as `f_data` of a full-text table `f`.
///
/// A full-text table writes its index when the transaction ends, and an R-tree prepares its
/// statements once for all scripts. So a trigger on such a table may make orphans that no check
/// sees. A trigger, or an index on an expression, also makes SQLite use the virtual table while
/// that table writes. SQLite may then crash at the next savepoint.
struct OwnTables {
  private let hasVirtualTables: Bool

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    hasVirtualTables =
      try connection.integer(
        """
        SELECT EXISTS (SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND rootpage = 0)
        """) == 1
  }

  /// Why a script that changed these tables is refused; nil if no trigger and no index on an
  /// expression is on the tables in which they keep their data.
  func refusal(
    changed: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Refusal? {
    guard hasVirtualTables || connection.scriptGuard.isLastInTransaction else { return nil }
    let found = try connection.prepare(
      """
      WITH object(kind, name, tbl_name) AS (
        SELECT type, name, tbl_name FROM main.sqlite_master WHERE type = 'trigger'
        UNION ALL
        SELECT type, name, tbl_name FROM temp.sqlite_master WHERE type = 'trigger'
        UNION ALL
        SELECT type, name, tbl_name FROM main.sqlite_master AS made
        WHERE type = 'index' AND sql IS NOT NULL
          AND EXISTS (SELECT 1 FROM pragma_index_xinfo(made.name, 'main') WHERE cid = -2)
      )
      SELECT kind, object.name, object.tbl_name
      FROM object, pragma_table_list(object.tbl_name) AS owner
      WHERE owner.schema = 'main' AND owner.type = 'shadow'
      ORDER BY kind DESC, object.name
      """)
    while try found.step() {
      guard let kind = found.text(0), let name = found.name(1), let table = found.name(2) else {
        continue
      }
      if let owner = try Self.owner(of: table, among: changed, connection) {
        return .ownTable(has: kind, name: name.shown, of: owner.shown)
      }
    }
    return nil
  }

  /// Makes changed virtual tables write now what they would write at the end of the transaction, if
  /// a foreign key leads to one of their own tables.
  ///
  /// They do so at a savepoint. Afterwards the orphans can be found.
  func write(
    changed: Set<Name>, parents: some Sequence<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for parent in parents where try Self.owner(of: parent, among: changed, connection) != nil {
      try connection.run("SAVEPOINT uplift_write")
      return try connection.run("RELEASE uplift_write")
    }
  }

  /// The one of `candidates` that is a virtual table and keeps `table` for its data; nil if there
  /// is none.
  ///
  /// An ordinary table `order` does not own a table `order_item`.
  static func owner(
    of table: Name, among candidates: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Name? {
    for candidate in candidates where table.isShadow(of: candidate) {
      if try connection.isVirtual(candidate) { return candidate }
    }
    return nil
  }
}
