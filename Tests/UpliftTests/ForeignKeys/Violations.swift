import Uplift
import UpliftSQLite

/// The orphans of a database by foreign key and values, found without Uplift.
struct Violations {
  /// A foreign key, and the values in its columns that no row of the parent has.
  struct Meaning: Hashable {
    let table: Name
    let columns: [Name]
    let parent: Name
    let to: [Name]?
    let key: [String]
  }

  private(set) var counts: [Meaning: Int] = [:]
  init() {}

  /// Compares each child with its parent.
  ///
  /// The result must agree with SQLite's own check, unless that says "foreign key mismatch".
  init(_ connection: borrowing Connection) throws {
    let schema = try Schema(connection)
    for table in schema.tables {
      var perKey: [Int] = []
      var references: Set<[[Name]]> = []
      for key in table.keys {
        let rows = try Self.orphans(of: key, in: table, schema, connection)
        perKey.append(rows.count)
        let reference = [
          key.from.map { Name($0) }, [Name(key.parent)], key.to?.map { Name($0) } ?? [],
        ]
        // A table may declare the same foreign key twice.
        guard references.insert(reference).inserted else { continue }
        for row in rows {
          let meaning = Meaning(
            table: Name(table.name), columns: key.from.map { Name($0) }, parent: Name(key.parent),
            to: key.to?.map { Name($0) }, key: row)
          counts[meaning, default: 0] += 1
        }
      }
      if let expected = try Self.check(table.name, keys: table.keys.count, connection),
        expected != perKey
      {
        throw Disagreement(table: table.name, found: perKey, expected: expected)
      }
    }
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
    while try rows.step() { found.append(from.indices.map { Self.text(rows.value($0)) }) }
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

  /// The orphans that a script made: those of which there are more than before.
  ///
  /// In a table or a column that was renamed meanwhile, an orphan counts as new.
  func added(since before: Violations) -> [Meaning] {
    counts.filter { $0.value > before.counts[$0.key] ?? 0 }.map(\.key)
  }
}
