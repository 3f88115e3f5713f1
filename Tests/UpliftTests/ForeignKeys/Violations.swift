import Uplift
import UpliftSQLite

/// Tables and foreign keys, as SQLite's pragmas tell them.
struct Schema {
  struct Table {
    let name: String
    let columns: [String]
    let types: [String]
    let primaryKey: [String]
    let keys: [Key]
    let isWithoutRowID: Bool

    /// A table like this one, with plain columns for generated ones.
    func definition(as name: String) -> String {
      var parts = zip(columns, types).map { column, type in
        let isRowID = primaryKey == [column] && type.uppercased() == "INTEGER" && !isWithoutRowID
        return "\(column.quoted) \(type)" + (isRowID ? " PRIMARY KEY" : "")
      }
      if !primaryKey.isEmpty, !parts.contains(where: { $0.hasSuffix(" PRIMARY KEY") }) {
        parts.append("PRIMARY KEY (\(primaryKey.map(\.quoted).joined(separator: ", ")))")
      }
      for key in keys.reversed() where Set(key.from).isSubset(of: Set(columns)) {
        let to = key.to.map { "(\($0.map(\.quoted).joined(separator: ", ")))" } ?? ""
        parts.append(
          "FOREIGN KEY (\(key.from.map(\.quoted).joined(separator: ", ")))"
            + " REFERENCES \(key.parent.quoted)\(to)")
      }
      return "CREATE TABLE \(name.quoted) (\(parts.joined(separator: ", ")))"
        + (isWithoutRowID ? " WITHOUT ROWID" : "")
    }
  }

  struct Key: Equatable {
    var from: [String]
    let parent: String
    /// Nil for the parent's primary key.
    var to: [String]?
  }

  let tables: [Table]

  init(_ connection: borrowing Connection) throws {
    var tables: [Table] = []
    let list = try connection.prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        + " AND name NOT LIKE 'sqlite%' ORDER BY name")
    while try list.step() {
      let name = list.text(0) ?? ""
      var columns: [String] = []
      var types: [String] = []
      var primaryKey: [(Int64, String)] = []
      let info = try connection.prepare("PRAGMA main.table_xinfo(\(name.quoted))")
      while try info.step() {
        let column = info.text(1) ?? ""
        if info.integer(5) > 0 { primaryKey.append((info.integer(5), column)) }
        guard info.integer(6) == 0 else { continue }
        columns.append(column)
        types.append(info.text(2) ?? "")
      }
      var keys: [Key] = []
      let foreign = try connection.prepare("PRAGMA main.foreign_key_list(\(name.quoted))")
      while try foreign.step() {
        if foreign.integer(1) == 0 {
          keys.append(
            Key(from: [], parent: foreign.text(2) ?? "", to: foreign.text(4) == nil ? nil : []))
        }
        keys[keys.count - 1].from.append(foreign.text(3) ?? "")
        if let to = foreign.text(4) { keys[keys.count - 1].to?.append(to) }
      }
      tables.append(
        Table(
          name: name, columns: columns, types: types,
          primaryKey: primaryKey.sorted { $0.0 < $1.0 }.map(\.1), keys: keys,
          isWithoutRowID: list.integer(1) == 1))
    }
    self.tables = tables
  }

  func table(_ name: String) -> Table? { tables.first { Name($0.name) == Name(name) } }
}

/// How many rows break which foreign key for which value, found without Uplift.
struct Violations {
  struct Meaning: Hashable {
    var table: Name
    var columns: [Name]
    var parent: Name
    let key: [String]
  }

  /// A meaning from before a script, with the names of then, and those that renaming gave it.
  fileprivate struct Old {
    let plain: Meaning
    var followed: Meaning
    let count: Int
    /// All names that it ever had.
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
  private var old: [Old] = []

  init() {}

  /// Compares each child with its parent, and holds the result against SQLite's own check, if that
  /// does not say "foreign key mismatch".
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
            key: row)
          counts[meaning, default: 0] += 1
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

  struct Disagreement: Error {
    let table: String
    let found: [Int]
    let expected: [Int]
  }

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
  ) throws -> [[String]] {
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
    let rows = try connection.prepare(
      "SELECT \(from.joined(separator: ", ")) FROM main.\(table.name.quoted) c"
        + " WHERE \(conditions.joined(separator: " AND "))")
    var found: [[String]] = []
    while try rows.step() {
      found.append(from.indices.map { Self.text(rows.value($0)) })
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

  enum Names {
    case table(String, String)
    case column(String, String, String)
  }

  /// Gives violations the names that a statement gave to what they are about.
  mutating func rename(_ names: Names, in before: Schema, now: Schema) {
    for index in old.indices {
      let meaning = old[index].followed
      switch names {
      case .table(let name, let new):
        // SQLite writes the new name into references, or is told not to.
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

  enum Verdict { case addsNone, adds([Meaning]), ambiguous }

  /// What a script added.
  ///
  /// It adds none if no meaning has grown, by the names of the beginning or by those that were
  /// followed. It adds one if a meaning has grown that no old one can stand for, whichever of its
  /// names are taken and however letters are compared.
  func added(since before: Violations) -> Verdict {
    func grown(_ name: (Old) -> Meaning) -> Bool {
      var allowed: [Meaning: Int] = [:]
      for one in before.old { allowed[name(one), default: 0] += one.count }
      return counts.contains { $0.value > allowed[$0.key] ?? 0 }
    }
    if !grown(\.plain) || !grown(\.followed) { return .addsNone }
    var now: [Meaning: Int] = [:]
    for (meaning, count) in counts { now[meaning.folded, default: 0] += count }
    let new = now.filter { meaning, count in
      count > before.old.filter { $0.canMean(meaning) }.reduce(0) { $0 + $1.count }
    }
    return new.isEmpty ? .ambiguous : .adds(new.map(\.key))
  }
}

extension Violations.Meaning {
  /// The same for '5' and 5, for 'a' and 'A'.
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
