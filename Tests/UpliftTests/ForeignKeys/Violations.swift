import Uplift
import UpliftSQLite

/// The orphans of a database by foreign key and values, found without Uplift.
struct Violations {
  /// A foreign key, by the names that it has.
  private struct Key: Hashable {
    let table: Name
    let columns: [Name]
    let parent: Name
  }

  /// The orphans of a foreign key, by the values in its columns.
  private struct Orphans {
    let key: Key
    let to: [String]?
    var counts: [[String]: Int] = [:]
  }

  private var all: [Orphans] = []

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
        var orphans = Orphans(
          key: Key(
            table: Name(table.name), columns: key.from.map { Name($0) }, parent: Name(key.parent)),
          to: key.to)
        for row in rows { orphans.counts[row, default: 0] += 1 }
        all.append(orphans)
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

  /// Whether a script made orphans; ambiguous if it depends on which of several keys with the same
  /// names a key is compared with.
  enum Verdict { case addsNone, adds, ambiguous }

  /// A script makes orphans if a foreign key has more rows with the same values than the foreign key
  /// that had the same names before the script.
  func added(since before: Violations) -> Verdict {
    var verdict = Verdict.addsNone
    for now in all {
      let same = before.all.filter { $0.key == now.key }
      let exact = same.filter { $0.to == now.to }
      let answers = Set(
        (exact.isEmpty ? same : exact).map { old in
          now.counts.contains { $0.value > old.counts[$0.key] ?? 0 }
        })
      if answers == [true] || same.isEmpty && !now.counts.isEmpty { return .adds }
      if answers.count == 2 { verdict = .ambiguous }
    }
    return verdict
  }
}

extension Violations: CustomStringConvertible {
  var description: String {
    all.filter { !$0.counts.isEmpty }.map {
      "\($0.key.table.shown)(\($0.key.columns.map(\.shown))) to \($0.key.parent.shown): \($0.counts)"
    }.joined(separator: "; ")
  }
}
