package import UpliftSQLite

/// One column of a table, as `PRAGMA table_xinfo` describes it.
package struct SchemaColumn {
  package let name: Name
  package let type: Name
  /// The column's position in the primary key, from 1; 0 if it is not part of the key.
  package let positionInPrimaryKey: Int64
  package let isGenerated: Bool

  /// The same column without a declared type.
  var withoutType: SchemaColumn {
    SchemaColumn(
      name: name, type: Name(""), positionInPrimaryKey: positionInPrimaryKey,
      isGenerated: isGenerated)
  }
}

extension [SchemaColumn] {
  /// The columns of the primary key, in the order of the key.
  package var primaryKey: [Name] {
    filter { $0.positionInPrimaryKey > 0 }
      .sorted { $0.positionInPrimaryKey < $1.positionInPrimaryKey }
      .map(\.name)
  }
}

extension Connection {
  /// The columns of a table; none if there is no such table.
  package borrowing func columns(of table: Name) throws(SQLiteError) -> [SchemaColumn] {
    let rows = try prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [SchemaColumn] = []
    while try rows.step() {
      columns.append(
        SchemaColumn(
          name: rows.name(1) ?? Name(""), type: rows.name(2) ?? Name(""),
          positionInPrimaryKey: rows.integer(5), isGenerated: rows.integer(6) > 1))
    }
    return columns
  }
}

/// The collations of indexes, which may be others than those of the columns.
extension Connection {
  /// The columns of the primary key's index, with their collations.
  ///
  /// An `INTEGER PRIMARY KEY` is the row identifier and has no index.
  package borrowing func collations(
    ofPrimaryKeyOf table: Name
  ) throws(SQLiteError) -> [Name: Name] {
    let indexes = try prepare("PRAGMA main.index_list(\(table))" as SQL)
    while try indexes.step() {
      guard indexes.text(3) == "pk", let index = indexes.name(1) else { continue }
      return try collations(of: index)
    }
    return [:]
  }

  /// The columns by which an index is sorted, with their collations.
  package borrowing func collations(of index: Name) throws(SQLiteError) -> [Name: Name] {
    let columns = try prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
    var collations: [Name: Name] = [:]
    while try columns.step() {
      let isKeyColumn = columns.integer(5) == 1
      guard isKeyColumn, let name = columns.name(2) else { continue }
      collations[name] = columns.name(4)
    }
    return collations
  }
}

/// Reads the columns of tables, and each table only once.
///
/// It must not outlive a change of the schema. So each search for orphans uses a new one.
package final class ColumnReader {
  private var known: [Name: [SchemaColumn]] = [:]

  package init() {}

  func columns(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [SchemaColumn] {
    if let columns = known[table] { return columns }
    let columns = try connection.columns(of: table)
    known[table] = columns
    return columns
  }
}
