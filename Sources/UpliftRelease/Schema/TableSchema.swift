internal import Uplift
internal import UpliftSQLite

/// One table, by what its definition means.
///
/// `PRAGMA` tells most of it. Expressions are in the text of `CREATE TABLE` only.
struct TableSchema: Hashable {
  struct Column: Hashable {
    let name: Name
    let type: Name
    let isNotNull: Bool
    let defaultValue: SQLWords?
    let collation: Name?
    /// 0 for a column with stored values, 2 and 3 for the two kinds of generated columns.
    let kind: Int64
    let positionInKey: Int64
  }

  struct Reference: Hashable {
    let columns: [Name]
    let parent: Name
    let parentColumns: [Name]
    let onUpdate: String
    let onDelete: String
  }

  /// A column of an index; nil stands for an expression.
  struct IndexColumn: Hashable {
    let name: Name?
    let collation: Name?
    let isDescending: Bool
  }

  let columns: [Column]
  let references: [Reference]
  /// The columns of each `UNIQUE` constraint.
  let uniqueConstraints: [[IndexColumn]]
  let checks: [SQLWords]
  /// The expressions of generated columns.
  let generated: [SQLWords]
  let options: TableOptions
  /// How often each of the clauses occurs for which there is no pragma.
  let clauses: [String: Int]

  init(_ name: Name, sql: [UInt8], _ connection: borrowing Connection) throws(SQLiteError) {
    let words = SQLWords(sql)
    columns = try Self.columns(of: name, connection)
    references = try Self.references(of: name, connection)
    uniqueConstraints = try Self.uniqueConstraints(of: name, connection)
    checks = words.expressions(after: "check")
    generated = words.expressions(after: "as")
    options = TableOptions(words)
    var clauses: [String: Int] = [:]
    for clause in Self.clauses { clauses[clause] = words.count(of: clause) }
    self.clauses = clauses
  }

  private static let clauses = [
    "initially deferred", "on conflict rollback", "on conflict fail", "on conflict ignore",
    "on conflict replace",
  ]

  private static func columns(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Column] {
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [Column] = []
    while try rows.step() {
      let name = rows.name(1) ?? Name("")
      columns.append(
        Column(
          name: name, type: rows.name(2) ?? Name(""), isNotNull: rows.integer(3) != 0,
          defaultValue: rows.isNull(4)
            ? nil : rows.withText(4) { SQLWords(Array($0)).withoutParentheses },
          collation: connection.collation(of: name, in: table), kind: rows.integer(6),
          positionInKey: rows.integer(5)))
    }
    return columns
  }

  private static func references(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Reference] {
    let keys = try connection.foreignKeys(of: table)
    let rows = try connection.prepare("PRAGMA main.foreign_key_list(\(table))" as SQL)
    var actions: [(onUpdate: String, onDelete: String)] = []
    while try rows.step() {
      if rows.integer(1) == 0 { actions.append((rows.text(5) ?? "", rows.text(6) ?? "")) }
    }
    return zip(keys, actions).map { key, action in
      Reference(
        columns: key.from, parent: key.parent, parentColumns: key.to, onUpdate: action.onUpdate,
        onDelete: action.onDelete)
    }.sorted { ($0.columns + [$0.parent]).lexicographicallyPrecedes($1.columns + [$1.parent]) }
  }

  private static func uniqueConstraints(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[IndexColumn]] {
    let indexes = try connection.prepare("PRAGMA main.index_list(\(table))" as SQL)
    var found: [[IndexColumn]] = []
    while try indexes.step() {
      guard indexes.text(3) == "u", let index = indexes.name(1) else { continue }
      found.append(try indexColumns(of: index, connection))
    }
    return found.sorted { $0.compactMap(\.name).lexicographicallyPrecedes($1.compactMap(\.name)) }
  }

  /// The columns by which an index is sorted.
  static func indexColumns(
    of index: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [IndexColumn] {
    let rows = try connection.prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
    var columns: [IndexColumn] = []
    while try rows.step() {
      guard rows.integer(5) == 1 else { continue }
      columns.append(
        IndexColumn(
          name: rows.name(2), collation: rows.name(4), isDescending: rows.integer(3) != 0))
    }
    return columns
  }
}

/// The words after the columns of a table, and `AUTOINCREMENT`.
struct TableOptions: Hashable {
  let isStrict: Bool
  let isWithoutRowid: Bool
  let isAutoincrement: Bool

  init(_ words: SQLWords) {
    let options = words.afterParentheses
    isStrict = options.contains("strict")
    isWithoutRowid = options.contains("without")
    isAutoincrement = words.contains("autoincrement")
  }

  /// The options with their names, in SQL.
  var all: [(name: String, isOn: Bool)] {
    [
      ("STRICT", isStrict), ("WITHOUT ROWID", isWithoutRowid), ("AUTOINCREMENT", isAutoincrement),
    ]
  }
}
