internal import Uplift
internal import UpliftSQLite

/// A table or a view as it is between two scripts.
struct ObservedTable: Hashable {
  enum Kind { case table, virtual, view }

  let name: Name
  let kind: Kind
  /// The first page in the file; a rename does not change it.
  let rootPage: Int64
  let sql: [UInt8]
  let columns: [Name]
  let options: TableOptions
  /// True if the definition has the word `REPLACE`, as in `ON CONFLICT REPLACE`.
  let replacesRows: Bool
  /// The triggers on it, each with its definition without its name.
  var triggers: [Name: SQLWords] = [:]
  var indexes: [Name: Index] = [:]

  /// True if rows may go although no statement deletes them: a trigger, or `ON CONFLICT REPLACE`.
  var mayTakeRows: Bool {
    replacesRows
      || triggers.values.contains { $0.contains("delete") || $0.contains("replace") }
  }

  /// True if a column is an `INTEGER PRIMARY KEY`, so that it could be `AUTOINCREMENT`.
  var canCount: Bool {
    SQLWords(sql).items.contains {
      $0.contains("integer") && $0.contains("primary") && $0.contains("key")
    }
  }

  /// The columns that the table does not have afterwards.
  func lost(in after: ObservedTable) -> [Name] { columns.filter { !after.columns.contains($0) } }

  /// The same table after some of its columns were renamed.
  func renaming(_ renamed: [Name: Name]) -> ObservedTable {
    if columns.allSatisfy({ renamed[$0] == nil }) { return self }
    var table = ObservedTable(
      name: name, kind: kind, rootPage: rootPage, sql: sql,
      columns: columns.map { renamed[$0] ?? $0 }, options: options, replacesRows: replacesRows,
      triggers: triggers)
    table.indexes = indexes.mapValues { index in
      let columns = index.columns.map { column in
        TableSchema.IndexColumn(
          name: column.name.map { renamed[$0] ?? $0 }, collation: column.collation,
          isDescending: column.isDescending)
      }
      return Index(words: index.words, columns: columns, isUnique: index.isUnique)
    }
    return table
  }

  struct Index: Hashable {
    /// The definition without its name.
    let words: SQLWords
    /// The columns by which it is sorted.
    let columns: [TableSchema.IndexColumn]
    let isUnique: Bool
  }
}

extension [ObservedTable] {
  /// The views among these that read one of the tables, directly or through another of these views.
  ///
  /// It leaves out the views that name one of these columns: they could not be made again.
  func reading(_ tables: Set<Name>, without columns: [Name]) -> Set<ObservedTable> {
    var names = tables
    var found: Set<ObservedTable> = []
    while true {
      let next = filter { view in
        let words = SQLWords(view.sql)
        return !found.contains(view) && names.contains { words.contains($0.folded) }
          && !columns.contains { words.contains($0.folded) }
      }
      if next.isEmpty { return found }
      found.formUnion(next)
      names.formUnion(next.map(\.name))
    }
  }
}

extension Connection {
  /// True if a key or another index of the table does the work of this index, which is gone.
  ///
  /// For a unique index, that is a key or a unique index on the same columns, with the same
  /// collations. For any other index, it is one whose first columns are the same.
  borrowing func hasReplacement(
    for index: ObservedTable.Index, on table: Name
  ) throws(SQLiteError) -> Bool {
    let wanted = index.columns.map(\.ascending)
    func serves(_ columns: [TableSchema.IndexColumn], isUnique: Bool) -> Bool {
      let columns = columns.map(\.ascending)
      return index.isUnique
        ? isUnique && Set(columns) == Set(wanted)
        : Array(columns.prefix(wanted.count)) == wanted
    }
    if index.columns.contains(where: { $0.name == nil }) { return false }
    if serves(try primaryKey(of: table), isUnique: true) { return true }
    return try wholeIndexes(of: table).contains { serves($0.columns, isUnique: $0.isUnique) }
  }
}
