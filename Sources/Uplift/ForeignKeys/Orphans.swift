internal import UpliftSQLite

/// The orphans of some children before a step, counted by foreign key and value inside SQLite.
///
/// An orphan is old if the same foreign key had at least as many orphans with its value before. The
/// counts are in temporary tables, because there may be millions.
struct Orphans {
  private struct Reference: Hashable {
    let child: Name
    let key: ForeignKey
  }

  private var tables: [Reference: Name] = [:]

  /// Counts the orphans of a child.
  mutating func count(
    of child: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for key in Set(try connection.foreignKeys(of: child)) {
      let query = try OrphanQuery(key, of: child, connection)
      let table = Name("\(Connection.ownTemporaryName) \(tables.count)")
      try connection.run("CREATE TEMP TABLE \(table) AS \(query.groups)" as SQL)
      tables[Reference(child: child, key: key)] = table
    }
  }

  /// Adds the orphans of a child that were not there before.
  func compare(
    _ child: Name, isMismatch: Bool, _ found: inout NewOrphans, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let keys = Set(try connection.foreignKeys(of: child)).sorted {
      $0.from.lexicographicallyPrecedes($1.from)
    }
    for key in keys {
      let query = try OrphanQuery(key, of: child, connection)
      let table = tables[Reference(child: child, key: key)]
      let groups = try connection.prepare(query.growth(since: table))
      while try groups.step() {
        let (count, isListed) = (Int(groups.integer(0)), found.rows.count < NewOrphans.most)
        var rows: [Int64?] = []
        if isListed {
          rows = try query.rows(
            like: groups, atMost: min(count, NewOrphans.most - found.rows.count), connection)
        }
        found.add(
          rows, count, query, fault: query.fault ?? (isMismatch && keys.count == 1 ? .noKey : nil))
      }
    }
  }

  /// Drops the tables with the counts, before the commit.
  mutating func drop(_ connection: borrowing Connection) throws(SQLiteError) {
    for table in tables.values { try connection.run("DROP TABLE temp.\(table)" as SQL) }
    tables = [:]
  }
}

/// The orphans that a step made.
struct NewOrphans {
  /// The number of orphans that a report lists.
  static let most = 10

  private let touched: TouchedTables
  private let changed: Set<Name>
  private(set) var rows: [UpgradeError.Violation] = []
  private var count = 0
  private var followRemoval = false
  private var followDrop = false

  init(_ touched: TouchedTables, _ changed: Set<Name>) {
    self.touched = touched
    self.changed = changed
  }

  mutating func add(
    _ rows: [Int64?], _ count: Int, _ query: OrphanQuery, fault: UpgradeError.Violation.Fault?
  ) {
    let parent = query.key.parent
    self.rows += rows.map { row in
      UpgradeError.Violation(
        table: query.child.shown, row: row, columns: query.key.from.map(\.shown),
        parent: parent.shown, fault: fault)
    }
    self.count += count
    if touched.removed.contains(parent) || changed.contains(parent) && fault == .noTable {
      followRemoval = true
    }
    if touched.removed.contains(parent), touched.made.contains(parent) || fault == .noTable {
      followDrop = true
    }
  }

  var violations: UpgradeError.ForeignKeyViolations? {
    count == 0
      ? nil
      : UpgradeError.ForeignKeyViolations(
        rows: rows, count: count, followRemoval: followRemoval, followDrop: followDrop)
  }
}

/// The SQL that finds the orphans of one foreign key.
///
/// The parent's column stands on the left, and a `+` before the child's takes its affinity and
/// collation away. So SQLite compares them as it does for foreign keys (sqlite.org/foreignkeys.html,
/// section 2).
struct OrphanQuery {
  let child: Name
  let key: ForeignKey
  /// What the parent lacks; then every row with a value is an orphan.
  let fault: UpgradeError.Violation.Fault?
  private let condition: SQL
  /// The name of the row identifier; nil if the child has none that can be named.
  private let identifier: SQL?

  init(_ key: ForeignKey, of child: Name, _ connection: borrowing Connection) throws(SQLiteError) {
    self.key = key
    self.child = child
    let columns = try connection.columns(of: key.parent)
    let wanted = key.to.isEmpty ? columns.primaryKey : key.to
    let isWhole =
      wanted.count == key.from.count
      && wanted.allSatisfy { name in columns.contains { $0.name == name } }
    fault = columns.isEmpty ? .noTable : isWhole ? nil : .noColumns
    let hasValue = SQL.all(key.from) { "c.\($0) IS NOT NULL" }
    if isWhole {
      // The index of a primary key may compare otherwise than its columns.
      let collations = key.to.isEmpty ? try connection.collations(ofPrimaryKeyOf: key.parent) : [:]
      let match = SQL.all(Array(zip(wanted, key.from))) { to, from in
        let collation: SQL = collations[to].map { " COLLATE \($0)" } ?? ""
        return "p.\(to)\(collation) = +c.\(from)"
      }
      condition =
        "\(hasValue) AND NOT EXISTS (SELECT 1 FROM main.\(key.parent) AS p WHERE \(match))"
    } else {
      condition = hasValue
    }
    let names = try connection.columns(of: child).map(\.name)
    let free = ["rowid", "_rowid_", "oid"].first { !names.contains(Name($0)) }
    identifier = try connection.hasRowIdentifier(child) ? free.map { "c.\($0)" } : nil
  }

  /// The orphans by value and type, with their number.
  var groups: SQL {
    var (names, order): ([SQL], [SQL]) = ([], [])
    for (index, column) in key.from.enumerated() {
      names += ["+c.\(column) COLLATE BINARY AS v\(index)", "typeof(c.\(column)) AS t\(index)"]
      order += ["\(2 * index + 1)", "\(2 * index + 2)"]
    }
    return """
      SELECT \(names.joined(separator: ", ")), count(*) AS n FROM main.\(child) AS c \
      WHERE \(condition) GROUP BY \(order.joined(separator: ", "))
      """
  }

  /// The groups that have more orphans than a table has for them: by how many, and their values.
  func growth(since table: Name?) -> SQL {
    let columns = key.from.indices.map { "now.v\($0), now.t\($0)" as SQL }.joined(separator: ", ")
    guard let table else { return "SELECT now.n, \(columns) FROM (\(groups)) AS now" }
    let isSame = SQL.all(Array(key.from.indices)) {
      "old.v\($0) = now.v\($0) AND old.t\($0) = now.t\($0)"
    }
    return """
      SELECT now.n - coalesce(old.n, 0), \(columns) FROM (\(groups)) AS now \
      LEFT JOIN temp.\(table) AS old ON \(isSame) WHERE now.n > coalesce(old.n, 0)
      """
  }

  /// The identifiers of the last orphans of a group, which is a row of `growth`.
  func rows(
    like group: borrowing Statement, atMost count: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Int64?] {
    guard let identifier else { return Array(repeating: nil, count: count) }
    let isSame = SQL.all(Array(key.from.enumerated())) {
      "+c.\($1) COLLATE BINARY = ?\(2 * $0 + 1) AND typeof(c.\($1)) = ?\(2 * $0 + 2)"
    }
    let rows = try connection.prepare(
      """
      SELECT \(identifier) FROM main.\(child) AS c WHERE \(condition) AND \(isSame) \
      ORDER BY 1 DESC LIMIT \(count)
      """ as SQL)
    for column in 0..<(2 * key.from.count) { try rows.bind(column + 1, of: group, at: column + 1) }
    var found: [Int64?] = []
    while try rows.step() { found.append(rows.integer(0)) }
    return found.reversed()
  }
}
