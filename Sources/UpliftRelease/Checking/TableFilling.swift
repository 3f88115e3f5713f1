internal import Uplift
internal import UpliftSQLite

/// Makes up a few rows for one empty table.
///
/// SQLite itself decides whether a row is possible. If a constraint refuses a row, the values in
/// the definition of the table are tried, and a few common ones.
struct TableFilling {
  /// Three rows: one with values, one with `NULL`s, and one that repeats the first.
  private static let rowCount = 3
  /// The tries of one search for a row; after that the search is given up.
  private static let tries = 600

  private let table: Name
  private let columns: [ColumnToFill]
  /// The values that lead to a parent, for each row: the rows of a parent are taken in turn.
  private let references: [[Name: SQL]]
  /// The values that lead to the parents of the first row.
  private let repeated: [Name: SQL]
  private let hasReferences: Bool
  /// The columns of each key and unique index that has several.
  private let keys: [[Name]]
  private let literals: CheckLiterals
  /// The values that a constraint accepted.
  private var chosen: [Name: SQL] = [:]
  private var triesLeft = Self.tries

  /// `keys` are the foreign keys of the table.
  init(
    _ table: ObservedTable, _ keys: [ForeignKey], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.table = table.name
    columns = try ColumnToFill.columns(
      of: table.name, isWithoutRowid: table.options.isWithoutRowid, connection)
    literals = CheckLiterals(SQLWords(table.sql))
    references = try Self.references(of: table.name, keys, columns, connection)
    repeated = Self.repeated(of: table.name, keys, columns, references[0])
    hasReferences = !keys.isEmpty
    self.keys = try Self.keys(of: table.name, keys, connection)
  }

  /// Fills the table; returns the reason if no row is possible.
  mutating func fill(_ connection: borrowing Connection) throws(SQLiteError) -> String? {
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
  private mutating func insert(
    _ row: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    let first = values(row)
    // The third row refers to the same parents as the first, if the constraints allow it.
    let whole = row == 2 ? first.merging(repeated) { $1 } : first
    let partial = whole.merging(partOfKey(row)) { $1 }
    for likely in [partial, whole] where likely != first {
      if try insert(likely, connection) == nil { return nil }
    }
    guard let words = try insert(first, connection) else { return nil }
    triesLeft = Self.tries
    if try search(from: first, refusedWith: words, row, connection) { return nil }
    // A constraint may want most columns to be NULL.
    triesLeft = Self.tries
    let sparse = values(1).merging(references[row]) { value, _ in value }
    guard let words = try insert(sparse, connection) else {
      return nil
    }
    if try search(from: sparse, refusedWith: words, row, connection) { return nil }
    triesLeft = Self.tries
    return try insertPair(first, free(row), row, connection) ? nil : words
  }

  /// The columns whose values can be chosen.
  private func free(_ row: Int) -> [ColumnToFill] {
    columns.filter { references[row][$0.name] == nil && !$0.isRowNumber }
  }

  /// Changes one column at a time until no constraint refuses the row; true if that succeeds.
  private mutating func search(
    from first: [Name: SQL], refusedWith words: String, _ row: Int,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    var current = first
    var words = words
    var seen: Set<String> = [words]
    search: while triesLeft > 0 {
      // SQLite's words name the columns of the constraint, unless the constraint has a name.
      let named = SQLWords(Array(words.utf8))
      let free = free(row)
      let likely = free.filter { named.contains($0.name.folded) }
      for column in likely.isEmpty ? free : likely {
        for candidate in column.candidates(row, literals) where current[column.name] != candidate {
          var attempt = current
          attempt[column.name] = candidate
          guard triesLeft > 0 else { return false }
          guard let new = try insert(attempt, connection) else {
            remember(attempt, first)
            return true
          }
          // Another constraint refuses this row, so the constraint before is satisfied.
          if seen.insert(new).inserted {
            current = attempt
            words = new
            continue search
          }
        }
      }
      return false
    }
    return false
  }

  /// Tries two columns at a time, for a constraint that compares them.
  private mutating func insertPair(
    _ first: [Name: SQL], _ free: [ColumnToFill], _ row: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    for (index, one) in free.enumerated() {
      for other in free[(index + 1)...] {
        for left in one.candidates(row, literals).prefix(12) {
          for right in other.candidates(row, literals).prefix(12) {
            guard triesLeft > 0 else { return false }
            var attempt = first
            attempt[one.name] = left
            attempt[other.name] = right
            if try insert(attempt, connection) == nil {
              remember(attempt, first)
              return true
            }
          }
        }
      }
    }
    return false
  }

  /// Remembers the values that a constraint accepted, so that the next rows get them too.
  private mutating func remember(_ values: [Name: SQL], _ first: [Name: SQL]) {
    for (name, value) in values where first[name] != value { chosen[name] = value }
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
      } else if column.isRowNumber || column.hasDefault {
        values[column.name] = chosen[column.name]
      } else {
        // The third row repeats the first, as far as the constraints let it.
        let isRepeated = row == 2 && !column.isInKey
        values[column.name] = chosen[column.name] ?? column.value(isRepeated ? 0 : row)
      }
    }
    return values
  }

  /// The values in keys of several columns.
  ///
  /// The second row differs from the first in the first column of each key, and the third row in the
  /// last one. So no smaller key would do.
  private func partOfKey(_ row: Int) -> [Name: SQL] {
    var values: [Name: SQL] = [:]
    guard row > 0 else { return values }
    for key in keys {
      let differing = row == 1 ? key.first : key.last
      for column in columns where key.contains(column.name) && !column.isRowNumber {
        if row == 1, column.mayBeNull { continue }
        let source = column.name == differing ? row : 0
        if column.hasDefault, source == 0 { continue }
        values[column.name] =
          references[source][column.name] ?? chosen[column.name] ?? column.value(source)
      }
    }
    return values
  }

  /// Returns SQLite's words if a constraint refuses the row.
  private mutating func insert(
    _ values: [Name: SQL], _ connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    triesLeft -= 1
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

  /// The keys and unique indexes with several columns.
  ///
  /// It leaves out a key that shares a column with a reference of several columns, because these
  /// belong together, and with a reference to the table itself, which the first row may lack.
  private static func keys(
    of table: Name, _ references: [ForeignKey], _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[Name]] {
    let bound = references.filter { $0.from.count > 1 || $0.parent == table }.flatMap(\.from)
    return try connection.wholeIndexes(of: table)
      .filter { $0.isUnique && $0.columns.count > 1 && $0.columns.allSatisfy { $0.name != nil } }
      .map { $0.columns.compactMap(\.name) }
      .filter { Set($0).isDisjoint(with: bound) }
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
