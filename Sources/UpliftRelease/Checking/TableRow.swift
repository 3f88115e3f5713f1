internal import Uplift
internal import UpliftSQLite

/// A row of a table, to be shown in a finding and to be put back.
struct TableRow: Hashable {
  typealias Value = Upgrader.Database.Value

  let table: Name
  let columns: [Name]
  let values: [Value]

  /// At most `limit` rows of a table, in no order.
  static func sample(
    _ limit: Int, of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TableRow] {
    let columns = try connection.columns(of: table).filter { !$0.isGenerated }.map(\.name)
    let rows = try connection.prepare(
      "SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table) LIMIT \(limit)" as SQL)
    var found: [TableRow] = []
    while try rows.step() {
      found.append(
        TableRow(table: table, columns: columns, values: columns.indices.map { rows.value($0) }))
    }
    return found
  }

  func insert(_ connection: borrowing Connection) throws(SQLiteError) {
    let row = try connection.prepare(
      """
      INSERT INTO main.\(table) (\(SQL.list(columns) { "\($0)" }))
      VALUES (\(SQL.list(columns) { _ in "?" }))
      """ as SQL)
    for (index, value) in values.enumerated() { try row.bind(value, at: index + 1) }
    try row.run()
  }

  /// True if a table has a row with the same values in the columns that it shares with this one.
  func isIn(_ table: Name, _ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    let theirs = Set(try connection.columns(of: table).map(\.name))
    let shared = zip(columns, values).filter { theirs.contains($0.0) }
    guard !shared.isEmpty else { return false }
    let row = try connection.prepare(
      "SELECT 1 FROM main.\(table) WHERE \(SQL.all(shared.map(\.0)) { "\($0) IS ?" }) LIMIT 1"
        as SQL)
    for (index, pair) in shared.enumerated() { try row.bind(pair.1, at: index + 1) }
    return try row.step()
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
