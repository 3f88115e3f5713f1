internal import Uplift
internal import UpliftSQLite

/// Gives each empty table a few rows before a script.
///
/// Most scripts that fail in production have passed on empty tables.
struct MadeUpRows {
  /// The largest number of children that are made up for one reference.
  private static let mostChildren = 1000
  /// How many parents of parents are filled for one table.
  private static let depth = 200

  /// False for a table that gets its rows from the seed or from another table, before the scripts from
  /// a version on.
  private let takes: (Name, Version) -> Bool
  /// The tables whose rows were made up.
  private(set) var filled: Set<Name> = []
  /// The tables that have rows of their own, or had them.
  private(set) var withRows: Set<Name> = []
  /// The tables for which no row is possible, and why.
  private(set) var unfilled: [Name: String] = [:]

  init(takes: @escaping (Name, Version) -> Bool) {
    self.takes = takes
  }

  mutating func fill(
    before script: Script, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let version = script.migration.version
    var visited: Set<Name> = []
    try connection.withoutTriggers { () throws(SQLiteError) in
      let tables = try connection.tables()
      for table in tables { try fill(table, before: version, &visited, depth: 0, connection) }
      guard script.mayMention("delete") else { return }
      let written = script.tablesOfStatements
      for table in tables where takes(table, version) || script.readsSeed {
        for key in try connection.foreignKeys(of: table) where written.contains(key.parent) {
          try addChildren(to: table, key, readsSeed: script.readsSeed, connection)
        }
      }
    }
  }

  /// Makes up a child of each row of a parent that the script may delete: of a script that reads the
  /// seed, each row that the seed does not have.
  private mutating func addChildren(
    to table: Name, _ key: ForeignKey, readsSeed: Bool, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let to = key.to.isEmpty ? try connection.columns(of: key.parent).primaryKey : key.to
    guard to.count == key.from.count, try connection.hasTable(key.parent),
      try connection.virtualTable(writtenFor: table) == nil
    else { return }
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
      LIMIT \(Self.mostChildren)
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
        filled.insert(table)
      }
    }
  }

  /// Fills a table, and first the tables that it refers to.
  private mutating func fill(
    _ table: Name, before version: Version, _ visited: inout Set<Name>, depth: Int,
    _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard depth < Self.depth, visited.insert(table).inserted, takes(table, version),
      try connection.hasTable(table)
    else { return }
    if connection.deadline.mustStopNow {
      throw SQLiteError(code: .interrupted, message: "interrupted")
    }
    unfilled[table] = nil
    if try connection.prepare("SELECT 1 FROM main.\(table)" as SQL).step() {
      if !filled.contains(table) { withRows.insert(table) }
      return
    }
    if let virtual = try connection.virtualTable(writtenFor: table) {
      // Without its triggers, the rows would be missing in the virtual table.
      unfilled[table] = "its triggers write the virtual table \(virtual.shown)"
      return
    }
    let keys = try connection.foreignKeys(of: table)
    let parents = keys.map(\.parent).filter { $0 != table }
    for parent in parents {
      try fill(parent, before: version, &visited, depth: depth + 1, connection)
    }
    guard let words = try TableFilling(table, keys, connection).fill(connection) else {
      filled.insert(table)
      return
    }
    let empty = parents.first { unfilled[$0] != nil }
    unfilled[table] = empty.map { "\($0.shown) has no row" } ?? words
  }

  /// Leaves only these rows in a table whose rows were made up, and returns those that it had.
  func reduce(
    _ table: Name, to rows: [TableRow], _ connection: borrowing Connection
  ) throws(SQLiteError) -> [TableRow] {
    let all = try TableRow.sample(8, of: table, connection)
    try connection.withoutTriggers { () throws(SQLiteError) in
      try connection.run("DELETE FROM main.\(table)" as SQL)
      for row in rows { try row.insert(connection) }
    }
    return all
  }
}

extension Connection {
  /// A virtual table that a trigger of a table names.
  fileprivate borrowing func virtualTable(writtenFor table: Name) throws(SQLiteError) -> Name? {
    let rows = try prepare(
      """
      SELECT virtual.name FROM main.sqlite_master AS trigger, main.sqlite_master AS virtual
      WHERE trigger.type = 'trigger' AND trigger.tbl_name = ? COLLATE NOCASE
        AND virtual.type = 'table' AND virtual.rootpage = 0
        AND instr(lower(trigger.sql), lower(virtual.name))
      """)
    try rows.bind(table, at: 1)
    return try rows.step() ? rows.name(0) : nil
  }
}

/// Makes up three rows for one empty table: one with values, one with `NULL`s, and one that repeats
/// the first.
///
/// SQLite itself decides whether a row is possible.
private struct TableFilling {
  private static let rowCount = 3

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
    references = try Self.references(of: table, keys, columns, connection)
  }

  /// Fills the table; returns the reason if no row is possible.
  func fill(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
    for row in 0..<Self.rowCount {
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
      if row == 0, let refusal { return refusal }
    }
    guard !references[0].isEmpty, try hasOrphans(connection) else { return nil }
    try connection.run("DELETE FROM main.\(table)" as SQL)
    return "a foreign key cannot be respected"
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

  /// For each row, the value of each column that refers to a parent.
  private static func references(
    of table: Name, _ keys: [ForeignKey], _ columns: [ColumnToFill],
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[Name: SQL]] {
    var references: [[Name: SQL]] = Array(repeating: [:], count: rowCount)
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
      let parents = try connection.integer(
        "SELECT count(*) FROM (SELECT 1 \(whole) LIMIT \(rowCount))" as SQL)
      for row in 0..<rowCount {
        for (child, parent) in zip(key.from, to) where references[row][child] == nil {
          references[row][child] =
            if parents > 0 {
              "(SELECT \(parent) \(whole) LIMIT 1 OFFSET \(row % Int(parents)))"
            } else if key.parent == table {
              toItself(child, parent, whole, row, columns)
            } else {
              "NULL"
            }
        }
      }
    }
    return references
  }

  /// A reference to a row of the same table: the first row has none, or refers to itself.
  private static func toItself(
    _ child: Name, _ parent: Name, _ whole: SQL, _ row: Int, _ columns: [ColumnToFill]
  ) -> SQL {
    if row > 0 { return "(SELECT \(parent) \(whole) LIMIT 1)" }
    guard let child = columns.first(where: { $0.name == child }), !child.mayBeNull,
      let key = columns.first(where: { $0.name == parent })
    else { return "NULL" }
    return key.isRowNumber ? "1" : key.value(row)
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

  /// The name of the column and the number of the row, not longer than a type like `VARCHAR(10)` says.
  private func text(_ number: Int) -> SQL {
    let text = name.folded.prefix(20).filter { $0 != UInt8(ascii: "'") && $0 < 0x80 }
    let digits = type.drop { $0 != UInt8(ascii: "(") }.dropFirst().prefix {
      (0x30...0x39).contains($0)
    }
    let length = Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    // The number stays, so that the values differ.
    let whole = (Array(text) + " \(number)".utf8).suffix(length ?? .max)
    return SQL(Array("'".utf8) + whole + Array("'".utf8))
  }
}
