internal import Uplift
internal import UpliftSQLite

/// Makes up rows for one empty table.
///
/// SQLite itself decides whether a row is possible.
struct TableFilling {
  /// Why no row is possible.
  struct Refusal: Error { let words: String }

  private let table: Name
  private let columns: [ColumnToFill]
  /// The values that lead to a parent, for each row: the rows of a parent are taken in turn.
  private let references: [[Name: SQL]]

  /// `keys` are the foreign keys of the table.
  init(
    _ table: Name, _ keys: [ForeignKey], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.table = table
    columns = try ColumnToFill.columns(of: table, connection)
    references = try Self.references(of: table, keys, connection)
  }

  /// Fills the table, and returns its rows; the first one must be possible.
  func fill(
    _ rowCount: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Result<[TableRow], Refusal> {
    var rows: [TableRow] = []
    for row in 0..<rowCount {
      var attempts = [values(row, references[row])]
      // The third row has the parents of the first one, if the constraints allow it.
      if row == 2 { attempts.insert(values(row, references[0]), at: 0) }
      // A constraint may want most columns to be `NULL`.
      attempts.append(values(1, references[row]).merging(references[row]) { $1 })
      var refusal: String?
      for attempt in attempts {
        guard let words = try insert(attempt, connection) else {
          refusal = nil
          break
        }
        refusal = refusal ?? words
      }
      if row == 0, let refusal { return .failure(Refusal(words: refusal)) }
      let all = try TableRow.all(of: table, connection)
      let new = all.filter { !rows.contains($0) }
      // Without a key, a table can have the same row twice.
      if all.count > rows.count { rows += new.isEmpty ? rows.prefix(1) : new[...] }
    }
    guard !references[0].isEmpty, try hasOrphans(connection) else { return .success(rows) }
    try connection.run("DELETE FROM main.\(table)" as SQL)
    return .failure(Refusal(words: "a foreign key cannot be respected"))
  }

  /// Inserts a row that refers to a certain parent; false if a constraint refuses it.
  func insert(
    row: Int, referring parent: [Name: SQL], _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    try insert(values(row, references[0].merging(parent) { $1 }), connection) == nil
  }

  /// The values of a row; a column without a value gets its default.
  ///
  /// In the second row, each column that may be `NULL` is `NULL`. The third row repeats the first
  /// outside of the key.
  private func values(_ row: Int, _ references: [Name: SQL]) -> [Name: SQL] {
    var values: [Name: SQL] = [:]
    for column in columns {
      if column.mayBeNull, row == 1 {
        values[column.name] = "NULL"
      } else if let reference = references[column.name] {
        values[column.name] = reference
      } else if !column.isRowNumber, !column.hasDefault {
        values[column.name] = column.value(row == 2 && !column.isInKey ? 0 : row)
      }
    }
    return values
  }

  /// Returns SQLite's words if a constraint refuses the row.
  private func insert(
    _ values: [Name: SQL], _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    let names = columns.map(\.name).filter { values[$0] != nil }
    let row: SQL =
      names.isEmpty
      ? "DEFAULT VALUES"
      : "(\(SQL.list(names) { "\($0)" })) VALUES (\(SQL.list(names) { values[$0] ?? "NULL" }))"
    do {
      // ABORT, because a constraint may say ROLLBACK.
      try connection.run("INSERT OR ABORT INTO main.\(table) \(row)" as SQL)
      return nil
    } catch {
      switch error.code.primary {
      case .interrupted, .full, .inputOutput, .noMemory, .corrupt, .cannotOpen, .busy: throw error
      default: return error.message
      }
    }
  }

  private func hasOrphans(_ connection: borrowing Connection) throws(SQLiteError) -> Bool {
    do {
      return try connection.prepare("PRAGMA main.foreign_key_check(\(table))" as SQL).step()
    } catch {
      // The parent has no such key. That is a finding of its own.
      if error.code.primary == .error { return false }
      throw error
    }
  }

  /// For each row, the value of each column that refers to a parent; `NULL` as long as there is none.
  private static func references(
    of table: Name, _ keys: [ForeignKey], _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[Name: SQL]] {
    var references: [[Name: SQL]] = Array(repeating: [:], count: MadeUpRows.mostRows)
    for key in keys where try connection.hasTable(key.parent) {
      let parentColumns = try connection.columns(of: key.parent)
      let to = key.to.isEmpty ? parentColumns.primaryKey : key.to
      guard to.count == key.from.count,
        Set(to).isSubset(of: parentColumns.map(\.name))
      else { continue }
      let whole: SQL = """
        FROM main.\(key.parent) WHERE \(SQL.all(to) { "\($0) IS NOT NULL" })
        ORDER BY \(SQL.list(to) { "\($0)" })
        """
      let count: SQL = "(SELECT count(*) FROM (SELECT 1 \(whole) LIMIT \(MadeUpRows.mostRows)))"
      for row in references.indices {
        for (child, parent) in zip(key.from, to) where references[row][child] == nil {
          references[row][child] =
            "(SELECT \(parent) \(whole) LIMIT 1 OFFSET \(row) % max(1, \(count)))"
        }
      }
    }
    return references
  }
}

/// A column of a table for which rows are made up.
private struct ColumnToFill {
  let name: Name
  /// The declared type in lower case.
  private let type: [UInt8]
  let hasDefault: Bool
  let isInKey: Bool
  /// False also for a column of the primary key, in which `NULL` is rare.
  let mayBeNull: Bool
  /// True if SQLite numbers the rows in this column.
  let isRowNumber: Bool

  /// The columns of a table that can be written.
  static func columns(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [ColumnToFill] {
    let key = try connection.columns(of: table).primaryKey
    let hasKeyIndex = try !connection.primaryIndex(of: table).isEmpty
    let hasRowNumber = key.count == 1 && !hasKeyIndex
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [ColumnToFill] = []
    while try rows.step() {
      guard rows.integer(6) == 0 else { continue }
      let isInKey = rows.integer(5) > 0
      columns.append(
        ColumnToFill(
          name: rows.name(1) ?? Name(""), type: rows.name(2)?.folded ?? [],
          hasDefault: !rows.isNull(4) && rows.name(4) != Name("NULL"), isInKey: isInKey,
          mayBeNull: rows.integer(3) == 0 && !isInKey, isRowNumber: isInKey && hasRowNumber))
    }
    return columns
  }

  /// A plausible value for a row, as SQL; rows are counted from 0.
  ///
  /// The values of two rows differ, except for Booleans and JSON.
  func value(_ row: Int) -> SQL {
    let number = row + 1
    func has(_ words: StaticString...) -> Bool { words.contains { contains($0) } }
    if has("bool") { return "\(row == 0 ? 1 : 0)" }
    if has("time", "stamp") { return "datetime('2024-01-01 12:00:00', '+\(row) days')" }
    if has("date") { return "date('2024-01-01', '+\(row) days')" }
    // Larger than the numbers of the rows, so that a value is not by chance a reference.
    if has("int") { return isInKey ? "\(number)" : "\(100 + number)" }
    if has("json") { return "'{}'" }
    if has("uuid", "guid") { return "'00000000-0000-4000-8000-00000000000\(number)'" }
    if has("blob", "binary") { return "CAST('\(number)' AS BLOB)" }
    if has("real", "floa", "doub", "dec", "num", "money") { return "\(number).5" }
    return text(number)
  }

  /// True if the type contains these bytes; a `String` would compare characters.
  private func contains(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      type.indices.contains { type[$0...].starts(with: word) }
    }
  }

  /// The name of the column and the number of the row.
  private func text(_ number: Int) -> SQL {
    let text = name.folded.prefix(20).filter { $0 != UInt8(ascii: "'") && $0 < 0x80 }
    return SQL(Array("'".utf8) + text + Array(" \(number)'".utf8))
  }
}
