/// Changes of tables that `ALTER TABLE` cannot make.
extension Upgrader.Database {
  /// Gives a table a new definition and keeps its rows.
  ///
  /// Each column gets the values of the old column with the same name. `filling` gives a column the
  /// value of an SQL expression over the old table. A column that has neither gets its default.
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
  /// **These are kept:**
  /// - the rows, which are counted before and after;
  /// - their row identifiers, if both tables have them;
  /// - the next number of `AUTOINCREMENT`;
  /// - indexes and triggers;
  /// - references from other tables and from this one;
  /// - `STRICT` and `WITHOUT ROWID`, unless `strict` and `withoutRowID` say otherwise.
  ///
  /// Views and triggers that worked before must work afterwards. Triggers do not fire.
  ///
  /// Names are compared as SQLite compares them: byte for byte, but `A` to `Z` equal `a` to `z`.
  ///
  /// It is an error if an index needs a column that the new table does not have; drop the index
  /// before. It is also an error if there is a temporary table of the same name, or a temporary
  /// trigger on the table. If the rebuild fails, the step fails, even if it catches the error.
  public borrowing func rebuildTable(
    _ name: String, _ columns: [Upgrader.Column], constraints: [String] = [], strict: Bool? = nil,
    withoutRowID: Bool? = nil, filling: [String: String] = [:], file: String = #fileID,
    line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try Rebuild.endingStepOnFailure(in: self) { () throws(UpgradeError) in
      let table = try TableToRebuild(name, self, at: location)
      let definition = TableDefinition(
        columns, constraints, isStrict: strict ?? table.isStrict,
        isWithoutRowID: withoutRowID ?? table.isWithoutRowID)
      try Rebuild(table, definition, filling, at: location).run(in: self)
    }
  }

  /// Gives a table a new definition in SQL: all that follows the name in `CREATE TABLE`.
  ///
  /// ```swift
  /// try database.rebuildTable("guests", as: "(id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
  /// ```
  ///
  /// In a `CHECK` or a generated column, write `name` and not `guests.name`: the table has another
  /// name until its rows are copied.
  public borrowing func rebuildTable(
    _ name: String, as definition: String, filling: [String: String] = [:],
    file: String = #fileID, line: Int = #line
  ) throws(UpgradeError) {
    let location = SourceLocation(file: file, line: line)
    try Rebuild.endingStepOnFailure(in: self) { () throws(UpgradeError) in
      let table = try TableToRebuild(name, self, at: location)
      try Rebuild(table, TableDefinition(sql: definition), filling, at: location).run(in: self)
    }
  }
}
