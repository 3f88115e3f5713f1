import Uplift
import UpliftSQLite

/// The orphans of a database by foreign key and values, found without Uplift.
struct Violations {
  /// A foreign key, and the values in its columns that no row of the parent has.
  struct Meaning: Hashable {
    var table: Name
    var columns: [Name]
    var parent: Name
    let key: [String]
  }

  /// A meaning from before a script, with all names that its table, columns and parent had since.
  fileprivate struct Old {
    /// With the names from before the script.
    let plain: Meaning
    /// With the names after the latest statement.
    var followed: Meaning
    let count: Int
    var tables: Set<Name>
    var columns: Set<[Name]>
    var parents: Set<Name>

    init(_ meaning: Meaning, _ count: Int) {
      plain = meaning
      followed = meaning
      self.count = count
      tables = [meaning.table]
      columns = [meaning.columns]
      parents = [meaning.parent]
    }
  }

  private(set) var counts: [Meaning: Int] = [:]
  /// The meanings of which a child holds other values than its parent would: '1' instead of 1.
  private var converted: Set<Meaning> = []
  private var old: [Old] = []
  /// The tables that a script has renamed, by their names now, with their names before the script.
  private var renamed: [Name: Name] = [:]

  init() {}

  /// Compares each child with its parent.
  ///
  /// The result must agree with SQLite's own check, unless that says "foreign key mismatch".
  init(_ connection: borrowing Connection) throws {
    let schema = try Schema(connection)
    for table in schema.tables {
      var perKey: [Int] = []
      for key in table.keys {
        let rows = try Self.orphans(of: key, in: table, schema, connection)
        perKey.append(rows.count)
        for row in rows {
          let meaning = Meaning(
            table: Name(table.name), columns: key.from.map { Name($0) }, parent: Name(key.parent),
            key: row.key)
          counts[meaning, default: 0] += 1
          if row.isConverted { converted.insert(meaning) }
        }
      }
      if let expected = try Self.check(table.name, keys: table.keys.count, connection),
        expected != perKey
      {
        throw Disagreement(table: table.name, found: perKey, expected: expected)
      }
    }
    old = counts.map { Old($0.key, $0.value) }
  }

  /// SQLite's own check finds other numbers of orphans, for each foreign key of the table.
  struct Disagreement: Error {
    let table: String
    let found: [Int]
    let expected: [Int]
  }

  /// The number of orphans by SQLite's own check, for each foreign key; nil if it says "foreign key
  /// mismatch".
  private static func check(
    _ table: String, keys: Int, _ connection: borrowing Connection
  ) throws -> [Int]? {
    var counts = Array(repeating: 0, count: keys)
    do {
      let rows = try connection.prepare("PRAGMA main.foreign_key_check(\(table.quoted))")
      while try rows.step() { counts[Int(rows.integer(3))] += 1 }
    } catch {
      guard error.message.contains("mismatch") else { throw error }
      return nil
    }
    return counts
  }

  private static func orphans(
    of key: Schema.Key, in table: Schema.Table, _ schema: Schema,
    _ connection: borrowing Connection
  ) throws -> [(key: [String], isConverted: Bool)] {
    let from = key.from.map { "c.\($0.quoted)" }
    let parent = schema.table(key.parent)
    let to = key.to ?? parent?.primaryKey ?? []
    var all = Set(parent?.columns ?? [])
    if let parent, parent.name.isEmpty == false {
      all.formUnion(try columns(of: parent.name, connection))
    }
    let fits =
      parent != nil && to.count == from.count
      && to.allSatisfy { column in all.contains { Name($0) == Name(column) } }
    var conditions = from.map { "\($0) IS NOT NULL" }
    if fits {
      let matches = zip(to, from).map { "p.\($0.quoted) = +\($1)" }.joined(separator: " AND ")
      conditions.append("NOT EXISTS (SELECT 1 FROM main.\(key.parent.quoted) p WHERE \(matches))")
    }
    // The keys as the parent's columns would hold them.
    let types = to.map { column -> String in
      guard fits, let parent else { return "" }
      let index = parent.columns.firstIndex { Name($0) == Name(column) }
      let type = index.map { parent.types[$0] } ?? ""
      return parent.isStrict && type.uppercased() == "ANY" ? "" : type
    }
    let columns =
      from.indices.map { "k\($0) " + ($0 < types.count ? types[$0] : "") }
      + from.indices.map { "held\($0)" }
    try connection.run("CREATE TEMP TABLE \"the keys\"(\(columns.joined(separator: ", ")))")
    defer { try? connection.run("DROP TABLE temp.\"the keys\"") }
    try connection.run(
      "INSERT INTO temp.\"the keys\" SELECT \((from + from).joined(separator: ", "))"
        + " FROM main.\(table.name.quoted) c WHERE \(conditions.joined(separator: " AND "))")
    let rows = try connection.prepare("SELECT * FROM temp.\"the keys\"")
    var found: [(key: [String], isConverted: Bool)] = []
    while try rows.step() {
      let key = from.indices.map { Self.text(rows.value($0)) }
      let held = from.indices.map { Self.text(rows.value($0 + from.count)) }
      found.append((key, isConverted: key != held))
    }
    return found
  }

  private static func columns(of table: String, _ connection: borrowing Connection) throws
    -> [String]
  {
    var names: [String] = []
    let rows = try connection.prepare("PRAGMA main.table_xinfo(\(table.quoted))")
    while try rows.step() { names.append(rows.text(1) ?? "") }
    return names
  }

  private static func text(_ value: Upgrader.Database.Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .blob(let bytes), .rawText(let bytes): "x\(bytes)"
    }
  }

  /// A table or a column that a statement renamed, with its old and its new name.
  enum Names {
    case table(String, String)
    case column(String, String, String)
  }

  /// Records that a statement renamed a table or a column.
  mutating func rename(_ names: Names, in before: Schema, now: Schema) {
    if case .table(let name, let new) = names {
      renamed[Name(new)] = renamed.removeValue(forKey: Name(name)) ?? Name(name)
    }
    for index in old.indices {
      let meaning = old[index].followed
      switch names {
      case .table(let name, let new):
        // SQLite writes the new name into foreign keys, except with `legacy_alter_table`.
        let child = before.table(meaning.table.shown)
        let place = child?.keys.firstIndex {
          $0.from.map { Name($0) } == meaning.columns && Name($0.parent) == meaning.parent
        }
        let childNow = meaning.table == Name(name) ? new : meaning.table.shown
        if let place, let key = now.table(childNow)?.keys[place] {
          old[index].followed.parent = Name(key.parent)
        }
        old[index].followed.table = Name(childNow)
        if old[index].tables.contains(Name(name)) { old[index].tables.insert(Name(new)) }
        if old[index].parents.contains(Name(name)) { old[index].parents.insert(Name(new)) }
      case .column(let table, let name, let new):
        guard old[index].tables.contains(Name(table)) else { continue }
        let renamed = { (columns: [Name]) in columns.map { $0 == Name(name) ? Name(new) : $0 } }
        old[index].columns.formUnion(old[index].columns.map(renamed))
        guard meaning.table == Name(table) else { continue }
        old[index].followed.columns = renamed(meaning.columns)
      }
    }
  }

  /// Records which tables are left after a statement.
  mutating func keep(tablesOf now: Schema) {
    let names = Set(now.tables.map { Name($0.name) })
    renamed = renamed.filter { names.contains($0.key) }
  }

  /// Whether a script made orphans; ambiguous if the answer depends on whether old or new names, or
  /// values as the child or the parent would hold them, are compared.
  enum Verdict { case addsNone, adds([Meaning]), ambiguous }

  /// The orphans that a script made.
  ///
  /// It made none if no meaning has more rows than before, either by the names from before the
  /// script or by the names now. The names from before do not count if a table has the name that
  /// another one had. It made some if a meaning has more rows than all old meanings that
  /// may be the same one have together. An old meaning may be the same one if any of its names
  /// matches, whether or not upper and lower case count as equal.
  func added(since before: Violations) -> Verdict {
    func grown(_ name: (Old) -> Meaning) -> Bool {
      var allowed: [Meaning: Int] = [:]
      for one in before.old { allowed[name(one), default: 0] += one.count }
      return counts.contains { $0.value > allowed[$0.key] ?? 0 }
    }
    if !grown(\.followed) {
      // A parent that was not there may convert the values now.
      let isConverted = before.old.contains { one in
        counts[one.followed] != nil
          && before.converted.contains(one.plain) != converted.contains(one.followed)
      }
      return isConverted ? .ambiguous : .addsNone
    }
    if !grown(\.plain) {
      let isOther = counts.keys.contains { meaning in
        before.renamed[meaning.table].map { $0 != meaning.table } ?? false
      }
      return isOther ? .ambiguous : .addsNone
    }
    var now: [Meaning: Int] = [:]
    for (meaning, count) in counts { now[meaning.folded, default: 0] += count }
    let new = now.filter { meaning, count in
      count > before.old.filter { $0.canMean(meaning) }.reduce(0) { $0 + $1.count }
    }
    return new.isEmpty ? .ambiguous : .adds(new.map(\.key))
  }
}

extension Violations.Meaning {
  /// The meaning with values that are the same for '5' and 5, and for 'a' and 'A'.
  var folded: Self {
    let key = key.map { value in
      let text = value.hasPrefix("'") ? String(value.dropFirst().dropLast()) : value
      return Double(text).map { Int64(exactly: $0).map { "\($0)" } ?? "\($0)" }
        ?? text.lowercased()
    }
    return .init(table: table, columns: columns, parent: parent, key: key)
  }
}

extension Violations.Old {
  fileprivate func canMean(_ meaning: Violations.Meaning) -> Bool {
    tables.contains(meaning.table) && columns.contains(meaning.columns)
      && parents.contains(meaning.parent) && plain.folded.key == meaning.key
  }
}
