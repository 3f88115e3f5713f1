internal import Uplift
internal import UpliftSQLite

/// Makes up a few rows for one empty table.
///
/// SQLite itself decides whether a row is possible. There are three: one with values, one with
/// `NULL`s, and one that repeats the first.
struct TableFilling {
  private static let rowCount = 3

  private let table: Name
  private let columns: [ColumnToFill]
  /// The values that lead to a parent, for each row: the rows of a parent are taken in turn.
  private let references: [[Name: SQL]]
  /// The values that lead to the parents of the first row.
  private let repeated: [Name: SQL]
  private let hasReferences: Bool

  /// `keys` are the foreign keys of the table.
  init(
    _ table: ObservedTable, _ keys: [ForeignKey], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.table = table.name
    columns = try ColumnToFill.columns(
      of: table.name, isWithoutRowid: table.options.isWithoutRowid, connection)
    references = try Self.references(of: table.name, keys, columns, connection)
    repeated = Self.repeated(of: table.name, keys, columns, references[0])
    hasReferences = !keys.isEmpty
  }

  /// Fills the table; returns the reason if no row is possible.
  func fill(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
    var reason: String?
    for row in 0..<Self.rowCount {
      guard let words = try insert(row, connection) else { continue }
      if row == 0 {
        reason = words
        break
      }
    }
    if let reason { return reason }
    guard hasReferences, try hasOrphans(connection) else { return nil }
    try connection.run("DELETE FROM main.\(table)" as SQL)
    return "a foreign key cannot be respected"
  }

  /// Inserts one row; returns SQLite's words if that is not possible.
  ///
  /// The third row refers to the same parents as the first, if the constraints allow it. A constraint
  /// may want most columns to be `NULL`.
  private func insert(
    _ row: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    let first = values(row)
    var attempts = [first, values(1).merging(references[row]) { value, _ in value }]
    if row == 2 { attempts.insert(first.merging(repeated) { $1 }, at: 0) }
    var refusal: String?
    for attempt in attempts {
      guard let words = try insert(attempt, connection) else { return nil }
      refusal = refusal ?? words
    }
    return refusal
  }

  /// The values of a row; a column without a value gets its default.
  ///
  /// In the second row, each column that may be `NULL` is `NULL`.
  private func values(_ row: Int) -> [Name: SQL] {
    var values: [Name: SQL] = [:]
    for column in columns {
      if let reference = references[row][column.name] {
        values[column.name] = column.mayBeNull && row == 1 ? "NULL" : reference
      } else if row == 1, column.mayBeNull {
        values[column.name] = "NULL"
      } else if !column.isRowNumber, !column.hasDefault {
        // The third row repeats the first, as far as the constraints let it.
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

  /// The references of the first row, for the third one.
  ///
  /// It leaves out foreign keys with a column of the primary key, because the rows must differ
  /// there. It leaves out those to the table itself, because they may be `NULL` in the first row
  /// only. It also leaves out a foreign key that shares a column with one of these, because the
  /// columns of a reference belong together.
  private static func repeated(
    of table: Name, _ keys: [ForeignKey], _ columns: [ColumnToFill], _ first: [Name: SQL]
  ) -> [Name: SQL] {
    var differing = Set(columns.filter(\.isInKey).map(\.name))
    for key in keys where key.parent == table { differing.formUnion(key.from) }
    while let key = keys.first(where: { key in
      !differing.isDisjoint(with: key.from) && !differing.isSuperset(of: key.from)
    }) {
      differing.formUnion(key.from)
    }
    return first.filter { !differing.contains($0.key) }
  }

  /// For each row, the value of each column that refers to a parent.
  ///
  /// The rows of a parent are taken in turn.
  private static func references(
    of table: Name, _ keys: [ForeignKey], _ columns: [ColumnToFill],
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[Name: SQL]] {
    var references: [[Name: SQL]] = Array(repeating: [:], count: rowCount)
    for key in keys {
      guard try connection.hasTable(key.parent) else { continue }
      let parentColumns = try connection.columns(of: key.parent)
      let to = key.to.isEmpty ? parentColumns.primaryKey : key.to
      guard to.count == key.from.count,
        to.allSatisfy({ name in parentColumns.contains { $0.name == name } })
      else { continue }
      let whole: SQL =
        "FROM main.\(key.parent) WHERE \(SQL.all(to) { "\($0) IS NOT NULL" }) ORDER BY \(SQL.list(to) { "\($0)" })"
      let parents = Int(try connection.count(upTo: rowCount, whole))
      for row in 0..<rowCount {
        for (child, parent) in zip(key.from, to) where references[row][child] == nil {
          references[row][child] =
            if parents > 0 {
              "(SELECT \(parent) \(whole) LIMIT 1 OFFSET \(row % parents))"
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
    guard let child = columns.first(where: { $0.name == child }), child.isNotNull,
      let key = columns.first(where: { $0.name == parent })
    else { return "NULL" }
    return key.isRowNumber ? "1" : key.value(row)
  }
}
