internal import Uplift
internal import UpliftSQLite

/// The schema of a database, by what it means: two of them are equal if a program cannot tell them
/// apart.
///
/// It leaves out SQLite's own tables, the tables in which virtual tables keep their data, and those
/// of Litestream.
struct DatabaseSchema: Hashable {
  /// An index, a view, a trigger or a virtual table.
  struct Object: Hashable {
    enum Kind: String { case index, view, trigger, virtualTable = "virtual table" }

    let kind: Kind
    /// The table of an index or a trigger.
    let table: Name
    let words: SQLWords
  }

  private(set) var tables: [Name: TableSchema] = [:]
  private(set) var objects: [Name: Object] = [:]

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    try read(nil, connection)
  }

  /// Reads the schema of a seed, or of another database that nobody changes.
  init(
    of database: Seed, _ prepare: Upgrader.Prepare?, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let connection = try SeedConnection.open(
      database, prepare: prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try self.init(connection)
    } catch {
      throw UpgradeError(error, at: database.name)
    }
  }

  /// Reads the tables and views with these names again, and their indexes and triggers.
  mutating func update(
    _ names: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    // A reference without columns leads to the primary key, which may have changed.
    let children = tables.filter { $0.value.references.contains { names.contains($0.parent) } }
    let changed = names.union(children.keys)
    for name in changed { tables[name] = nil }
    objects = objects.filter { !changed.contains($0.value.table) }
    // Each name is a parameter, and SQLite takes at most 32766 of them. This stays well below.
    if changed.count > 1000 {
      self = try DatabaseSchema(connection)
    } else {
      try read(changed.sorted(), connection)
    }
  }

  private mutating func read(
    _ names: [Name]?, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let shadows = try connection.shadowTables()
    var sql: SQL =
      "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master WHERE sql IS NOT NULL"
    if let names {
      let places = Array(repeating: "?" as SQL, count: names.count).joined(separator: ", ")
      sql = "\(sql) AND tbl_name COLLATE NOCASE IN (\(places))"
    }
    let rows = try connection.prepare("\(sql) ORDER BY rowid" as SQL)
    for (index, name) in (names ?? []).enumerated() { try rows.bind(name, at: index + 1) }
    while try rows.step() {
      guard let name = rows.name(1), let table = rows.name(2), !table.isOfLitestream,
        !name.isInternal, !shadows.contains(name), !shadows.contains(table)
      else { continue }
      let sql = rows.withText(4) { Array($0) }
      switch rows.text(0) {
      case "table" where rows.integer(3) > 0:
        tables[name] = try TableSchema(name, sql: sql, connection)
      case "table": add(name, .virtualTable, of: name, SQLWords(sql, isVirtual: true))
      case "view": add(name, .view, of: name, SQLWords(sql))
      case "trigger": add(name, .trigger, of: table, SQLWords(sql).without("for each row"))
      default: add(name, .index, of: table, words(ofIndex: sql, on: table))
      }
    }
  }

  /// The schema of a database without tables.
  static let empty = DatabaseSchema()

  private init() {}

  /// The same schema without these indexes, and without these tables and their objects.
  func without(_ others: OtherObjects) -> DatabaseSchema {
    var schema = self
    for name in others.indexes { schema.objects[name] = nil }
    for name in others.tables { schema.tables[name] = nil }
    if !others.tables.isEmpty {
      schema.objects = schema.objects.filter { !others.tables.contains($0.value.table) }
    }
    return schema
  }

  /// The words of an index, without those that only repeat a default.
  private func words(ofIndex sql: [UInt8], on table: Name) -> SQLWords {
    let columns = tables[table]?.columns ?? []
    let words = SQLWords(sql).without("asc").withoutUsualCollations { name in
      columns.first { $0.name == name }?.collation
    }
    // An index takes the collation of its column by default. If all columns have `BINARY`,
    // `COLLATE BINARY` only repeats that.
    let isBinary = tables[table]?.columns.allSatisfy { $0.collation == Name("BINARY") } ?? false
    return isBinary ? words.without("collate binary") : words
  }

  private mutating func add(
    _ name: Name, _ kind: Object.Kind, of table: Name, _ words: SQLWords
  ) {
    objects[name] = Object(kind: kind, table: table, words: words)
  }
}

extension Connection {
  /// The tables that virtual tables keep their data in.
  borrowing func shadowTables() throws(SQLiteError) -> Set<Name> {
    // The pragma looks at every table, and most databases have no virtual table.
    guard
      try integer("SELECT count(*) FROM main.sqlite_master WHERE rootpage = 0 AND type = 'table'")
        > 0
    else { return [] }
    let rows = try prepare("PRAGMA main.table_list")
    var names: Set<Name> = []
    while try rows.step() {
      if rows.text(2) == "shadow", let name = rows.name(1) { names.insert(name) }
    }
    return names
  }
}

extension Name {
  /// True for the tables that Litestream adds to a database.
  var isOfLitestream: Bool { folded.starts(with: Array("_litestream_".utf8)) }
}
