internal import Uplift
internal import UpliftSQLite

/// One table, by what its definition means, in words.
///
/// `PRAGMA` tells most of it. Expressions, and clauses without a pragma, are in the text of
/// `CREATE TABLE` only.
struct TableSchema {
  /// A column of an index; `name` is nil for an expression.
  struct IndexColumn: Hashable {
    let name: Name?
    let collation: Name?

    /// The name, and what differs from the defaults.
    var shown: String {
      let collation = collation.flatMap { $0 == Name("BINARY") ? nil : " COLLATE \($0.shown)" }
      return (name?.shown ?? "an expression") + (collation ?? "")
    }
  }

  private(set) var columns: [Name] = []
  /// The columns, keys, references, constraints and options, with what their name does not tell.
  private(set) var parts: [SchemaWords: SchemaWords] = [:]

  init(_ name: Name, _ words: SQLWords, _ connection: borrowing Connection) throws(SQLiteError) {
    try addKeys(of: name, connection)
    try addColumns(of: name, words, connection)
    try addReferences(of: name, connection)
    for check in words.expressions(after: "check") {
      let shown = check.shown
      parts[SchemaWords("constraint CHECK (\(shown)) on \(name.shown)", key: shown)] = .present
    }
    for option in words.tableOptions {
      parts[SchemaWords("\(option) on table \(name.shown)")] = .present
    }
    // What happens without the clause is ABORT.
    let conflicts = words.split(at: "on conflict").dropFirst()
      .compactMap { $0.words.first?.shown.uppercased() }.filter { $0 != "ABORT" }
    let clauses =
      conflicts.map { "ON CONFLICT \($0)" }.sorted()
      + words.words.filter { $0.isKeyword("deferred") }.map { _ in "INITIALLY DEFERRED" }
    parts[SchemaWords("table \(name.shown)")] = SchemaWords(
      clauses.isEmpty ? "no ON CONFLICT or DEFERRED" : clauses.joined(separator: ", "))
  }

  private mutating func addKeys(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let rowIdentifier = try connection.columns(of: table).primaryKey.first
    var primary = rowIdentifier.map { "\($0.shown), the row identifier" } ?? "none"
    for index in try connection.indexes(of: table) where index.origin != "c" {
      let columns = "(\(index.columns.map(\.shown).joined(separator: ", ")))"
      if index.origin == "pk" {
        primary = columns
      } else {
        parts[SchemaWords("UNIQUE constraint on \(table.shown) \(columns)")] = .present
      }
    }
    parts[SchemaWords("primary key of \(table.shown)")] = SchemaWords(primary)
  }

  private mutating func addColumns(
    of table: Name, _ words: SQLWords, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let keyIsRowID = try connection.primaryIndex(of: table).isEmpty
    var expressions = words.expressions(after: "as")[...]
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table))" as SQL)
    while try rows.step() {
      let name = rows.name(1) ?? Name("")
      let type = rows.withText(2) { SQLWords(Array($0)).shown.uppercased() }
      let collation = connection.collation(of: name, in: table) ?? Name("BINARY")
      var parts = [SchemaWords(type.isEmpty ? "no type" : type)]
      // A row identifier is never NULL.
      let isRowID = keyIsRowID && rows.integer(5) > 0
      if rows.integer(3) != 0, !isRowID { parts.append(SchemaWords("NOT NULL")) }
      if !rows.isNull(4) { parts += rows.withText(4) { Self.defaultValue(Array($0)) } }
      if collation != Name("BINARY") { parts.append(SchemaWords("COLLATE \(collation.shown)")) }
      if let kind = [2: "VIRTUAL", 3: "STORED"][rows.integer(6)] {
        let expression = expressions.popFirst()?.shown ?? ""
        parts.append(SchemaWords("AS (\(expression)) \(kind)", key: "as \(expression) \(kind)"))
      }
      columns.append(name)
      self.parts[SchemaWords("column \(table.shown).\(name.shown)")] = SchemaWords(parts)
    }
  }

  private mutating func addReferences(
    of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let rows = try connection.prepare(
      """
      SELECT iif(on_delete = 'NO ACTION', '', ' ON DELETE ' || on_delete)
        || iif(on_update = 'NO ACTION', '', ' ON UPDATE ' || on_update)
      FROM pragma_foreign_key_list(?, 'main') WHERE seq = 0 ORDER BY id
      """)
    try rows.bind(table, at: 1)
    for key in try connection.foreignKeys(of: table) {
      let actions = try rows.step() ? rows.text(0) ?? "" : ""
      let to = key.to.isEmpty ? try connection.columns(of: key.parent).primaryKey : key.to
      let start = "reference of \(table.shown) (\(list(key.from))) to \(key.parent.shown)"
      parts[SchemaWords(start + (to.isEmpty ? "" : " (\(list(to)))") + actions)] = .present
    }
  }

  /// The default of a column; none for `NULL`, which is the default without a `DEFAULT`.
  ///
  /// In a default a name in quotes is a string, so its case counts.
  private static func defaultValue(_ text: [UInt8]) -> [SchemaWords] {
    let shown = "DEFAULT " + String(decoding: text, as: UTF8.self)
    let words = SQLWords(text).withoutParentheses
    guard words.words.count == 1, let word = words.words.first else {
      return [SchemaWords(shown, key: words.shown)]
    }
    if word.isKeyword("null") { return [] }
    let isString = word.isQuoted || word.text.first == UInt8(ascii: "'")
    let string = "'" + String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    return [SchemaWords(shown, key: isString ? string : word.shown)]
  }
}

extension Connection {
  /// An index of a table.
  struct Index {
    let name: Name
    let columns: [TableSchema.IndexColumn]
    /// `pk` for a primary key, `u` for a `UNIQUE` constraint, `c` for `CREATE INDEX`.
    let origin: String
    let isUnique: Bool
    /// True if it has only some of the rows.
    let isPartial: Bool
  }

  borrowing func indexes(of table: Name) throws(SQLiteError) -> [Index] {
    let rows = try prepare("PRAGMA main.index_list(\(table))" as SQL)
    var indexes: [Index] = []
    while try rows.step() {
      guard let name = rows.name(1), let origin = rows.text(3) else { continue }
      indexes.append(
        Index(
          name: name, columns: try columns(ofIndex: name), origin: origin,
          isUnique: rows.integer(2) == 1,
          isPartial: rows.integer(4) == 1))
    }
    return indexes
  }

  /// The columns of the index of a primary key; none if the key is a row identifier.
  borrowing func primaryIndex(of table: Name) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    try indexes(of: table).first { $0.origin == "pk" }?.columns ?? []
  }

  /// The columns of the primary key, with the collations by which it compares; none if the table has
  /// no such key.
  borrowing func primaryKey(of table: Name) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    let index = try primaryIndex(of: table)
    if !index.isEmpty { return index }
    return try columns(of: table).primaryKey.map { name in
      TableSchema.IndexColumn(
        name: name, collation: collation(of: name, in: table))
    }
  }

  /// The indexes that have all rows of a table, because they are not partial.
  borrowing func wholeIndexes(of table: Name) throws(SQLiteError) -> [Index] {
    try indexes(of: table).filter { !$0.isPartial }
  }

  /// The columns by which an index is sorted.
  borrowing func columns(ofIndex index: Name) throws(SQLiteError) -> [TableSchema.IndexColumn] {
    let rows = try prepare("PRAGMA main.index_xinfo(\(index))" as SQL)
    var columns: [TableSchema.IndexColumn] = []
    while try rows.step() {
      guard rows.integer(5) == 1 else { continue }
      columns.append(
        TableSchema.IndexColumn(
          name: rows.name(2), collation: rows.name(4)))
    }
    return columns
  }
}
