internal import Uplift
internal import UpliftSQLite

/// One table, by what its definition means.
///
/// `PRAGMA` tells most of it. Expressions, and clauses without a pragma, are in the text of
/// `CREATE TABLE` only.
struct TableSchema: Hashable {
  struct Column: Hashable {
    let name: Name
    let type: SQLWords
    let isNotNull: Bool
    let defaultValue: DefaultValue?
    let collation: Name?
    /// 0 for a column with stored values, 2 and 3 for the two kinds of generated columns.
    let kind: Int64
    let positionInKey: Int64
    /// The expression of a generated column.
    let expression: SQLWords?
    /// The `ON CONFLICT` of `NOT NULL`.
    let conflict: String?
  }

  struct Reference: Hashable {
    let columns: [Name]
    let parent: Name
    let parentColumns: [Name]
    let onUpdate: String
    let onDelete: String
    let isDeferred: Bool
  }

  /// A column of an index; `name` is nil for an expression.
  struct IndexColumn: Hashable {
    let name: Name?
    let collation: Name?
    let isDescending: Bool

    /// The column as SQLite compares it to find out whether two constraints have one index.
    var ascending: IndexColumn {
      IndexColumn(name: name, collation: collation, isDescending: false)
    }
  }

  let columns: [Column]
  let references: Set<Reference>
  /// The columns of each `UNIQUE` constraint.
  let uniqueConstraints: Set<[IndexColumn]>
  /// The columns of the primary key's index; empty if the key is the row identifier.
  let primaryKey: [IndexColumn]
  let checks: Set<SQLWords>
  let options: TableOptions
  /// The `ON CONFLICT` of the primary key and of each `UNIQUE` constraint, by its columns.
  ///
  /// A primary key that is the row identifier has no columns here. Constraints that share an index
  /// share the clause.
  let conflicts: [[IndexColumn]: String]

  init(_ name: Name, sql: [UInt8], _ connection: borrowing Connection) throws(SQLiteError) {
    let words = SQLWords(sql)
    let names = Set(try connection.columns(of: name).map(\.name))
    var items: [Name: SQLWords] = [:]
    var parts: [(column: Name?, words: SQLWords)] = []
    for item in words.items {
      let column = item.words.first?.name
      if let column, names.contains(column), items[column] == nil {
        items[column] = item
        parts.append((column, item))
      } else {
        parts.append((nil, item))
      }
    }
    let clauses = ConstraintClauses(parts)
    (uniqueConstraints, primaryKey) = try Self.keys(of: name, connection)
    columns = try Self.columns(
      of: name, items, clauses, keyIsRowID: primaryKey.isEmpty, connection)
    references = try Self.references(of: name, clauses, connection)
    checks = Set(words.expressions(after: "check"))
    options = TableOptions(words)
    conflicts = Self.conflicts(clauses, columns, primaryKey)
  }

  private static func conflicts(
    _ clauses: ConstraintClauses, _ columns: [Column], _ primaryKey: [IndexColumn]
  ) -> [[IndexColumn]: String] {
    clauses.keys.reduce(into: [:]) { conflicts, key in
      let unique = key.columns?.map { part in
        let declared = columns.first { $0.name == part.name }?.collation
        return IndexColumn(
          name: part.name, collation: part.collation ?? declared, isDescending: false)
      }
      conflicts[unique ?? primaryKey.map(\.ascending)] = key.conflict
    }
  }

  private static func columns(
    of table: Name, _ items: [Name: SQLWords], _ clauses: ConstraintClauses, keyIsRowID: Bool,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Column] {
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    var columns: [Column] = []
    while try rows.step() {
      let name = rows.name(1) ?? Name("")
      let item = items[name] ?? SQLWords(words: [])
      // A row identifier is never NULL.
      let mayBeNull = rows.integer(3) == 0 || keyIsRowID && rows.integer(5) > 0
      columns.append(
        Column(
          name: name, type: rows.withText(2) { SQLWords(Array($0)) },
          isNotNull: !mayBeNull,
          defaultValue: rows.isNull(4) ? nil : rows.withText(4) { DefaultValue(Array($0)) },
          collation: connection.collation(of: name, in: table), kind: rows.integer(6),
          positionInKey: rows.integer(5), expression: item.expressions(after: "as").first,
          conflict: clauses.notNull[name]))
    }
    return columns
  }

  private static func references(
    of table: Name, _ clauses: ConstraintClauses, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Set<Reference> {
    let keys = try connection.foreignKeys(of: table)
    let rows = try connection.prepare("PRAGMA main.foreign_key_list(\(table))" as SQL)
    var actions: [(onUpdate: String, onDelete: String)] = []
    while try rows.step() {
      if rows.integer(1) == 0 { actions.append((rows.text(5) ?? "", rows.text(6) ?? "")) }
    }
    var references: Set<Reference> = []
    // The pragma begins with the last foreign key of the text.
    let isDeferred = Array(clauses.isDeferred.reversed())
    for (index, (key, action)) in zip(keys, actions).enumerated() {
      let to = key.to.isEmpty ? try connection.columns(of: key.parent).primaryKey : key.to
      references.insert(
        Reference(
          columns: key.from, parent: key.parent, parentColumns: to, onUpdate: action.onUpdate,
          onDelete: action.onDelete,
          isDeferred: isDeferred.indices.contains(index) && isDeferred[index]))
    }
    return references
  }

  fileprivate static func keys(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (unique: Set<[IndexColumn]>, primary: [IndexColumn]) {
    let indexes = try connection.prepare("PRAGMA main.index_list(\(table))" as SQL)
    var unique: Set<[IndexColumn]> = []
    var primary: [IndexColumn] = []
    while try indexes.step() {
      guard let index = indexes.name(1) else { continue }
      switch indexes.text(3) {
      case "u": unique.insert(try connection.columns(ofIndex: index))
      case "pk": primary = try connection.columns(ofIndex: index)
      default: continue
      }
    }
    return (unique, primary)
  }
}

extension Connection {
  /// The columns of the index of a primary key; none if the key is a row identifier.
  borrowing func primaryIndex(
    of table: Name
  ) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    try TableSchema.keys(of: table, self).primary
  }

  /// The columns of the primary key, with the collations by which it compares; none if the table has
  /// no such key.
  borrowing func primaryKey(
    of table: Name
  ) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    let index = try primaryIndex(of: table)
    if !index.isEmpty { return index.map(\.ascending) }
    return try columns(of: table).primaryKey.map { name in
      TableSchema.IndexColumn(
        name: name, collation: collation(of: name, in: table), isDescending: false)
    }
  }

  /// The indexes that have all rows of a table, because they are not partial.
  borrowing func wholeIndexes(
    of table: Name
  ) throws(SQLiteError) -> [(columns: [TableSchema.IndexColumn], isUnique: Bool)] {
    let rows = try prepare("PRAGMA main.index_list(\(table))" as SQL)
    var indexes: [(columns: [TableSchema.IndexColumn], isUnique: Bool)] = []
    while try rows.step() {
      guard let name = rows.name(1), rows.integer(4) == 0 else { continue }
      indexes.append((try columns(ofIndex: name), isUnique: rows.integer(2) == 1))
    }
    return indexes
  }

  /// The columns by which an index is sorted.
  borrowing func columns(
    ofIndex index: Name
  ) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    let rows = try prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
    var columns: [TableSchema.IndexColumn] = []
    while try rows.step() {
      guard rows.integer(5) == 1 else { continue }
      columns.append(
        TableSchema.IndexColumn(
          name: rows.name(2), collation: rows.name(4), isDescending: rows.integer(3) != 0))
    }
    return columns
  }
}

/// The default of a column.
///
/// In a default a name is a string, with quotes or without, so its case counts.
struct DefaultValue: Hashable {
  let text: [UInt8]
  private let words: SQLWords?

  /// Nil for `NULL`, which is the default without a `DEFAULT`.
  init?(_ text: [UInt8]) {
    self.text = text
    let words = SQLWords(text).withoutParentheses
    if words.words.count == 1, words.contains("null") { return nil }
    guard let first = words.words.first, words.words.count == 1 else {
      // A sign before a number is an operator of its own.
      self.words =
        words.words.first?.isKeyword("+") == true
        ? SQLWords(words: Array(words.words.dropFirst())) : words
      return
    }
    let isWord =
      first.isQuoted || first.text.first == UInt8(ascii: "'")
      || Self.isLetter(first.text.first) && !Self.isKeyword(first) && !first.isBlob
    self.words = isWord ? nil : words
  }

  private static func isLetter(_ byte: UInt8?) -> Bool {
    byte.map { $0 == UInt8(ascii: "_") || $0 >= 0x61 } ?? false
  }

  private static func isKeyword(_ word: SQLWords.Word) -> Bool {
    ["true", "false", "current_time", "current_date", "current_timestamp"].contains {
      word.isKeyword($0)
    }
  }

  static func == (left: DefaultValue, right: DefaultValue) -> Bool {
    left.words == right.words && (left.words != nil || left.unquoted == right.unquoted)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(words)
  }

  /// The bytes of a string that is written as a name, or as a string.
  private var unquoted: [UInt8] {
    let quotes = Array("\"'`[".utf8)
    guard let first = text.first, quotes.contains(first), text.count > 1 else { return text }
    // A doubled quote stands for one. Brackets cannot be doubled.
    var isDoubled = false
    return text.dropFirst().dropLast().filter { byte in
      isDoubled = byte == first && first != UInt8(ascii: "[") && !isDoubled
      return !isDoubled
    }
  }

  /// The value for a message.
  var shown: String { String(decoding: text, as: UTF8.self) }
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
    isAutoincrement = words.items.contains {
      SQLWords(words: Array($0.words.dropFirst())).contains("autoincrement")
    }
  }

  /// The options with their names, in SQL.
  var all: [(name: String, isOn: Bool)] {
    [
      ("STRICT", isStrict), ("WITHOUT ROWID", isWithoutRowid), ("AUTOINCREMENT", isAutoincrement),
    ]
  }
}
