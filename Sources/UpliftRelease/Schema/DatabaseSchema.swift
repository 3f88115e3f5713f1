internal import Uplift
internal import UpliftSQLite

/// The schema of a database in words: two of them are equal if a program cannot tell them apart.
///
/// It leaves out SQLite's own tables, and the tables in which virtual tables keep their data.
struct DatabaseSchema: Hashable {
  struct Key: Hashable {
    enum Kind: String { case table, index, trigger, view, virtualTable = "virtual table" }

    let kind: Kind
    let name: Name
    var shown: String { "\(kind.rawValue) \(name.shown)" }
  }

  struct Object: Hashable {
    /// The table of an index or a trigger.
    let table: Name
    /// The columns of a table, in order.
    var columns: [Name] = []
    /// What else there is to compare: the columns and constraints of a table, or the text of another
    /// object.
    let parts: [SchemaWords: SchemaWords]
  }

  fileprivate(set) var objects: [Key: Object] = [:]

  /// The schema of a database without tables.
  init() {}

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    self = try SchemaReader().read(connection)
  }

  /// Reads the schema of a seed, or of another database that nobody changes.
  init(
    of database: Seed, _ prepare: Upgrader.Prepare?, _ isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    let connection = try SeedConnection.open(database, prepare: prepare, isCancelled: isCancelled)
    do throws(SQLiteError) {
      try self.init(connection)
    } catch {
      throw UpgradeError(error, at: database.name)
    }
  }

  /// The same schema without these objects, and without those of these tables.
  func without(_ others: OtherObjects) -> DatabaseSchema {
    var schema = self
    let tables = Set(others.all.filter { $0.kind == .table }.map(\.name))
    schema.objects = objects.filter { key, object in
      !others.all.contains(key) && !tables.contains(object.table)
    }
    return schema
  }
}

/// Some words of a report about a schema.
struct SchemaWords: Hashable {
  let shown: String
  /// Equal words have equal keys: mostly, upper and lower case are the same.
  private let key: String

  init(_ shown: String, key: String? = nil) {
    (self.shown, self.key) = (shown, key ?? shown.folded)
  }

  /// Several pieces as one.
  init(_ pieces: [SchemaWords]) {
    shown = pieces.map(\.shown).joined(separator: " ")
    key = pieces.map(\.key).joined(separator: " ")
  }

  /// For a part whose name says all.
  static let present = SchemaWords("")

  static func == (left: SchemaWords, right: SchemaWords) -> Bool { left.key == right.key }

  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// Reads schemas, and remembers objects by their texts.
///
/// Without that, a history of a thousand scripts would take a thousand times as long as one script.
final class SchemaReader {
  private var known: [[UInt8]: DatabaseSchema.Object] = [:]

  func read(_ connection: borrowing Connection) throws(SQLiteError) -> DatabaseSchema {
    let shadows = try connection.shadowTables()
    let rows = try connection.prepare(
      """
      SELECT iif(type = 'table' AND rootpage = 0, 'virtual table', type), name, tbl_name, sql
      FROM main.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid
      """)
    var schema = DatabaseSchema()
    while try rows.step() {
      guard let kind = rows.text(0).flatMap(DatabaseSchema.Key.Kind.init), let name = rows.name(1),
        let table = rows.name(2), !name.isInternal, !shadows.contains(name),
        !shadows.contains(table)
      else { continue }
      let key = DatabaseSchema.Key(kind: kind, name: name)
      schema.objects[key] = try object(
        key, of: table, rows.withText(3) { Array($0) }, connection)
    }
    return schema
  }

  private func object(
    _ key: DatabaseSchema.Key, of table: Name, _ text: [UInt8], _ connection: borrowing Connection
  ) throws(SQLiteError) -> DatabaseSchema.Object {
    let identity = key.name.bytes + [0] + text
    if let object = known[identity] { return object }
    let words = SQLWords(text)
    let object: DatabaseSchema.Object
    switch key.kind {
    case .table:
      let schema = try TableSchema(key.name, words, connection)
      object = DatabaseSchema.Object(table: table, columns: schema.columns, parts: schema.parts)
      // A reference without columns leads to the primary key of another table.
      if words.contains("references") { return object }
    case .index:
      // By default an index has the collations of its columns, which its text does not tell.
      let columns = try connection.columns(ofIndex: key.name)
      let condition = words.split(at: "where").dropFirst().map(\.shown)
      let isUnique = words.contains("unique")
      let hasExpression = columns.contains { $0.name == nil }
      let compared =
        columns.map(\.shown.folded) + condition
        + [isUnique ? "unique" : "", hasExpression ? words.shown : ""]
      let shown = SchemaWords(words.shown, key: compared.joined(separator: ", "))
      return DatabaseSchema.Object(table: table, parts: [SchemaWords(key.shown): shown])
    default:
      let shown = words.split(at: "for each row").map(\.shown).joined(separator: " ")
      let parts = [SchemaWords(key.shown): SchemaWords(shown, key: shown)]
      object = DatabaseSchema.Object(table: table, parts: parts)
    }
    known[identity] = object
    return object
  }
}

/// The objects of a database that no script knows: an operator's own tables, an operator's own
/// indexes on the tables of the scripts, and the tables of Litestream and of other tools.
struct OtherObjects {
  /// The indexes, then the tables, each sorted by name.
  let all: [DatabaseSchema.Key]
  /// The same in words, as `index by_town on guests`.
  let shown: [String]

  /// `own` are the objects that the scripts and the seed make at any version.
  init(in schema: DatabaseSchema, besides own: Set<DatabaseSchema.Key>, _ scripts: [Script]) {
    let others = schema.objects.filter { key, _ in
      !own.contains(key) && !scripts.contains { $0.uses(key.name) }
    }.sorted { $0.key.name < $1.key.name }
    let indexes = others.filter { key, index in
      key.kind == .index && own.contains(DatabaseSchema.Key(kind: .table, name: index.table))
    }
    let tables = others.filter { $0.key.kind == .table }
    all = (indexes + tables).map(\.key)
    shown =
      indexes.map { "\($0.key.shown) on \($0.value.table.shown)" } + tables.map(\.key.shown)
  }
}

/// One difference between two schemas: what the first has, and what the second has instead.
struct SchemaDifference: Hashable {
  /// The object, as in `column users.email`.
  let object: String
  /// The property that differs; nil if the object itself is missing on one side.
  private(set) var property: Property?
  /// True if the first schema has the object.
  private(set) var isInFirst = true

  struct Property: Hashable {
    let first: String
    let second: String
  }

  /// The differences, sorted by the names of the objects: tables first.
  static func between(_ first: DatabaseSchema, _ second: DatabaseSchema) -> [SchemaDifference] {
    func order(_ key: DatabaseSchema.Key) -> (Int, Name, String) {
      (key.kind == .table ? 0 : 1, key.name, key.kind.rawValue)
    }
    let keys = Set(first.objects.keys).union(second.objects.keys)
    return keys.sorted { order($0) < order($1) }.flatMap { key in
      guard let one = first.objects[key], let other = second.objects[key] else {
        return [SchemaDifference(object: key.shown, isInFirst: first.objects[key] != nil)]
      }
      return one == other ? [] : differences(key, one, other)
    }
  }

  private static func differences(
    _ key: DatabaseSchema.Key, _ one: DatabaseSchema.Object, _ other: DatabaseSchema.Object
  ) -> [SchemaDifference] {
    let parts = Set(one.parts.keys).union(other.parts.keys).sorted { $0.shown < $1.shown }
    let found = parts.compactMap { part -> SchemaDifference? in
      guard let first = one.parts[part], let second = other.parts[part] else {
        return SchemaDifference(object: part.shown, isInFirst: one.parts[part] != nil)
      }
      let property = Property(first: first.shown, second: second.shown)
      return first == second ? nil : SchemaDifference(object: part.shown, property: property)
    }
    if one.columns == other.columns || Set(one.columns) != Set(other.columns) { return found }
    let order = Property(
      first: "columns in the order \(list(one.columns))",
      second: "in the order \(list(other.columns))")
    return found + [SchemaDifference(object: key.shown, property: order)]
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
