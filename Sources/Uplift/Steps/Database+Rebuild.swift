/// Any change that `ALTER TABLE` cannot do.
extension Upgrader.Database {
  /// Gives a table a new definition and keeps what is in it.
  ///
  /// Columns of the old table go into those of the same name. `filling` gives a column of the new
  /// table the value of an SQL expression over the old one. A column that is neither in the old
  /// table nor filled has its default.
  ///
  /// ```swift
  /// try database.rebuildTable(
  ///   "guests",
  ///   [
  ///     .column("id", .integer, primaryKey: true),
  ///     .column("name", .text, notNull: true, unique: true),
  ///     .column("since", .integer, notNull: true),
  ///   ],
  ///   filling: ["since": "coalesce(year, 2017)"]
  /// )
  /// ```
  ///
  /// **Kept:** the rows, which are counted before and after; their row identifiers, where both
  /// tables have some; the next number of an `AUTOINCREMENT`; indexes and triggers; references from
  /// other tables and from this one; strictness and the lack of row identifiers, unless it is said
  /// otherwise. Views and triggers that worked before must work after. Triggers do not fire.
  ///
  /// Names are compared as SQLite compares them: byte for byte, and `A` to `Z` are `a` to `z`.
  ///
  /// An index on a column that is no longer there is an error: drop it before. So is a temporary
  /// table with the name of the table, or a temporary trigger on it. A rebuild that fails fails the
  /// step, though its error may be caught.
  public borrowing func rebuildTable(
    _ name: String, _ columns: [Upgrader.Column], constraints: [String] = [], strict: Bool? = nil,
    withoutRowID: Bool? = nil, filling: [String: String] = [:], file: String = #fileID,
    line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try Rebuild.failing(in: self) { () throws(UpgradeError) in
      let table = try RebuiltTable(name, self, at: location)
      let definition = TableDefinition(
        columns, constraints, isStrict: strict ?? table.isStrict,
        isWithoutRowID: withoutRowID ?? table.isWithoutRowID)
      try Rebuild(table, definition, filling, at: location).run(in: self)
    }
  }

  /// The same with the new definition as SQL: all that stands behind the name in `CREATE TABLE`.
  ///
  /// ```swift
  /// try database.rebuildTable("guests", as: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  /// ```
  public borrowing func rebuildTable(
    _ name: String, as definition: String, filling: [String: String] = [:],
    file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try Rebuild.failing(in: self) { () throws(UpgradeError) in
      let table = try RebuiltTable(name, self, at: location)
      try Rebuild(table, TableDefinition(sql: definition), filling, at: location).run(in: self)
    }
  }
}
