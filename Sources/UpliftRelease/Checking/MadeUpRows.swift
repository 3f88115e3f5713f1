internal import Uplift
internal import UpliftSQLite

/// Gives each empty table some rows before a script.
///
/// Most scripts that fail in production have passed on empty tables. The first row of a table has
/// values, the second `NULL`s, and the third repeats the first.
struct MadeUpRows {
  static let mostRows = 3
  /// The tables that get rows if they are empty.
  private let tables: Set<Name>
  /// How many rows a table gets.
  let rowCount: Int
  /// The tables whose rows were made up, with these rows.
  private(set) var filled: [Name: [TableRow]] = [:]
  /// The tables that have rows of their own, or had them.
  private(set) var withRows: Set<Name> = []
  /// The tables for which no row is possible, and why.
  private(set) var unfilled: [Name: String] = [:]

  init(_ rowCount: Int, in tables: Set<Name>) {
    (self.rowCount, self.tables) = (rowCount, tables)
  }

  mutating func fill(
    before script: Script, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    var visited: Set<Name> = []
    let all = try connection.tables()
    for table in all { try fill(table, &visited, connection) }
    guard script.mayMention("delete") else { return }
    let written = script.tablesOfStatements
    for table in all where tables.contains(table) || script.readsSeed {
      for key in try connection.foreignKeys(of: table) where written.contains(key.parent) {
        try addChildren(to: table, key, readsSeed: script.readsSeed, connection)
      }
    }
  }

  /// Makes up a child of each row of a parent that the script may delete: of a script that reads the
  /// seed, each row that the seed does not have.
  private mutating func addChildren(
    to table: Name, _ key: ForeignKey, readsSeed: Bool, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let to = key.to.isEmpty ? try connection.columns(of: key.parent).primaryKey : key.to
    guard to.count == key.from.count, try connection.hasTable(key.parent) else { return }
    let inSeed = try connection.primaryKey(of: key.parent).compactMap(\.name)
    let isWithdrawn: SQL =
      readsSeed && !inSeed.isEmpty
      ? """
      AND NOT EXISTS (SELECT 1 FROM seed.\(key.parent) AS new
        WHERE \(SQL.all(inSeed) { "new.\($0) IS mine.\($0)" }))
      """ : ""
    let parents = try connection.prepare(
      """
      SELECT \(SQL.list(to) { "quote(mine.\($0))" }) FROM main.\(key.parent) AS mine
      WHERE \(SQL.all(to) { "mine.\($0) IS NOT NULL" }) \(isWithdrawn)
        AND (\(SQL.list(to) { "mine.\($0)" })) NOT IN (
          SELECT \(SQL.list(key.from) { "\($0)" }) FROM main.\(table)
          WHERE \(SQL.all(key.from) { "\($0) IS NOT NULL" }))
      LIMIT 1000
      """ as SQL)
    let filling = try TableFilling(table, try connection.foreignKeys(of: table), connection)
    var count = 0
    while try parents.step() {
      var values: [Name: SQL] = [:]
      for (index, column) in key.from.enumerated() {
        values[column] = SQL(parents.withText(index) { Array($0) })
      }
      count += 1
      if try filling.insert(row: 1000 + count, referring: values, connection) {
        filled[table, default: []] += []
      }
    }
  }

  /// Fills a table, and first the tables that it refers to.
  private mutating func fill(
    _ table: Name, _ visited: inout Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard visited.insert(table).inserted, tables.contains(table), try connection.hasTable(table)
    else { return }
    if connection.deadline.mustStopNow {
      throw SQLiteError(code: .interrupted, message: "interrupted")
    }
    unfilled[table] = nil
    if try connection.prepare("SELECT 1 FROM main.\(table)" as SQL).step() {
      if filled[table] == nil { withRows.insert(table) }
      return
    }
    let keys = try connection.foreignKeys(of: table)
    let parents = keys.map(\.parent).filter { $0 != table }
    for parent in parents { try fill(parent, &visited, connection) }
    switch try TableFilling(table, keys, connection).fill(rowCount, connection) {
    case .success(let rows): filled[table] = rows
    case .failure(let refusal):
      let empty = parents.first { unfilled[$0] != nil }
      unfilled[table] = empty.map { "\($0.shown) has no row" } ?? refusal.words
    }
  }
}

/// A row of a table, to be shown in a finding.
struct TableRow: Hashable {
  typealias Value = Upgrader.Database.Value

  let table: Name
  let columns: [Name]
  let values: [Value]

  static func all(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TableRow] {
    let columns = try connection.columns(of: table).filter { !$0.isGenerated }.map(\.name)
    let rows = try connection.prepare(
      "SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table)" as SQL)
    var found: [TableRow] = []
    while try rows.step() {
      found.append(
        TableRow(table: table, columns: columns, values: columns.indices.map { rows.value($0) }))
    }
    return found
  }

  /// The row for a message, as in `a row of users (id 1, email NULL)`.
  var shown: String {
    let pairs = zip(columns, values).map { "\($0.shown) \($1.shown)" }
    return "a row of \(table.shown) (\(pairs.joined(separator: ", ")))"
  }
}

extension Upgrader.Database.Value {
  /// The value for a message, as SQL has it; long ones are cut.
  var shown: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(Self.cut(text))'"
    case .rawText(let bytes): "'\(Self.cut(String(decoding: bytes, as: UTF8.self)))'"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    }
  }

  private static func cut(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count > 40 ? String(scalars.prefix(39)) + "…" : text
  }
}
