internal import UpliftSQLite

/// The orphans of foreign keys, counted by value before a step and after it.
///
/// An orphan has a value in its foreign key that no parent row has. It is new if more child rows have
/// this value, of this type, in the same key than before. Row identifiers do not count, because a
/// rebuild of a table may change them. A foreign key is the same if its table, its columns and its
/// parent have the same names. So after a rename each of its orphans is new.
///
/// The counts are in temporary tables, which SQLite moves to the disk when they grow. So millions
/// of orphans need little memory.
struct Orphans {
  /// What was counted; the place in the list is the number in the name of the temporary table.
  private var counted: [(child: Name, key: ForeignKey)] = []

  /// Counts the orphans of a foreign key, before a step.
  mutating func count(
    _ key: ForeignKey, of child: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let query = try OrphanQuery(key, of: child, connection)
    let table = Self.table(counted.count)
    // It is no `INSERT`, because the script may ask for `changes()`.
    try connection.run("CREATE TEMP TABLE \(table) AS \(query.groups)" as SQL)
    let values = key.from.indices.map { "k\($0), t\($0)" as SQL }.joined(separator: ", ")
    let index: SQL = "temp.\(Self.table(counted.count, "values"))"
    try connection.run("CREATE INDEX \(index) ON \(table)(\(values))" as SQL)
    counted.append((child, key))
  }

  /// The orphans of a foreign key that a step has made, after the step; at most `limit` are listed.
  ///
  /// `mismatch` are SQLite's words if it cannot check the child.
  func new(
    _ key: ForeignKey, of child: Name, mismatch: String?, listing limit: Int,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> UpgradeError.ForeignKeyViolations {
    let query = try OrphanQuery(key, of: child, connection)
    let grown = query.grown(since: counts(of: key, of: child))
    let count = Int(
      try connection.integer("WITH \(grown) SELECT ifnull(sum(more), 0) FROM grown" as SQL))
    var rows: [UpgradeError.Violation] = []
    if count > 0, limit > 0 {
      let isNoKey = mismatch?.hasSuffix(" referencing \"\(key.parent.shown)\"") == true
      let examples = try connection.prepare(
        "WITH \(grown) \(query.examples) LIMIT \(min(count, limit))" as SQL)
      while try examples.step() {
        rows.append(
          UpgradeError.Violation(
            table: child.shown, row: examples.isNull(0) ? nil : examples.integer(0),
            columns: key.from.map(\.shown), parent: key.parent.shown,
            fault: query.missing ?? (isNoKey ? .noKey : nil)))
      }
    }
    return UpgradeError.ForeignKeyViolations(rows: rows, count: count)
  }

  /// Drops the temporary tables, before the commit.
  mutating func forget(_ connection: borrowing Connection) throws(SQLiteError) {
    if counted.isEmpty { return }
    // SQLite drops no table while a full-text table keeps a blob open.
    try connection.closeBlobsOfVirtualTables()
    for number in counted.indices { try connection.run("DROP TABLE temp.\(Self.table(number))") }
    counted = []
  }

  /// The name would hide a table of the database that had it.
  private static func table(_ number: Int, _ part: String = "counts") -> String {
    "\"uplift's orphans \(number) \(part)\""
  }

  /// The table with the counts of a foreign key; an empty one if it was not counted.
  ///
  /// A rebuild may spell out the parent's columns, so that they count only if there are two keys
  /// with the same columns and the same parent.
  private func counts(of key: ForeignKey, of child: Name) -> SQL {
    let same = counted.indices.filter { number in
      let old = counted[number]
      return old.child == child && old.key.from == key.from && old.key.parent == key.parent
    }
    guard let number = same.first(where: { counted[$0].key.to == key.to }) ?? same.first else {
      let values = key.from.indices.map { "NULL k\($0), NULL t\($0)" as SQL }
      return "(SELECT \(values.joined(separator: ", ")), 0 n, NULL last WHERE 0)"
    }
    return "temp.\(Self.table(number))"
  }
}

/// The queries for the orphans of one foreign key.
///
/// If the parent has the columns, they are compared, even if they are not a key. If the parent or a
/// column is missing, every row with a value is an orphan.
private struct OrphanQuery {
  private let key: ForeignKey
  /// What the schema lacks; nil if the parent has the columns.
  let missing: UpgradeError.Violation.Fault?
  /// The child `c`, joined with the parent `p` if the parent has the columns.
  private let source: SQL
  private let conditions: SQL
  /// The row identifier of the child, or `NULL`.
  private let row: SQL

  init(
    _ key: ForeignKey, of child: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    self.key = key
    row = try connection.rowIdentifier(of: child)
    var conditions = key.from.map { "c.\($0) IS NOT NULL" as SQL }
    if let parent = try connection.parentColumns(of: key) {
      // The parent's column decides how values are compared: it stands on the left, and a `+` takes
      // the affinity and the collation from the child's column. It is a left join, because SQLite
      // would open the parent again for each row of a `NOT EXISTS`, and makes no index for it.
      let matches = zip(parent, key.from).map { parent, column in
        "p.\(parent.name)\(parent.collate) = +c.\(column)" as SQL
      }
      source =
        "main.\(child) c LEFT JOIN main.\(key.parent) p ON \(matches.joined(separator: " AND "))"
      conditions.append("p.\(parent[0].name) IS NULL")
      missing = nil
    } else {
      source = "main.\(child) c"
      missing = try connection.hasTable(key.parent) ? .noColumns : .noTable
    }
    self.conditions = conditions.joined(separator: " AND ")
  }

  /// One row for all orphans with the same values: the values, their types, the number of orphans,
  /// and the largest row identifier.
  ///
  /// With the child's own collation, values that differ for the parent could be merged. Without the
  /// type, 1 and 1.0 could be merged too, and they differ if the parent's column holds text.
  var groups: SQL {
    let values = key.from.enumerated().map { index, column in
      "+c.\(column) COLLATE BINARY AS k\(index), typeof(c.\(column)) AS t\(index)" as SQL
    }
    let places = (1...2 * key.from.count).map { "\($0)" as SQL }
    return """
      SELECT \(values.joined(separator: ", ")), count(*) AS n, max(\(row)) AS last
      FROM \(source) WHERE \(conditions) GROUP BY \(places.joined(separator: ", "))
      """
  }

  /// A table expression `grown`: the values of which there are `more` orphans than before.
  func grown(since counts: SQL) -> SQL {
    let places = Array(key.from.indices)
    let values = places.map { "now.k\($0) AS k\($0), now.t\($0) AS t\($0)" as SQL }
    let matches = SQL.all(places) { "now.k\($0) = old.k\($0) AND now.t\($0) = old.t\($0)" }
    return """
      grown AS (
        SELECT \(values.joined(separator: ", ")), now.n - ifnull(old.n, 0) AS more, old.last AS last
        FROM (\(groups)) now LEFT JOIN \(counts) old ON \(matches)
        WHERE now.n > ifnull(old.n, 0))
      """
  }

  /// The row identifiers of the orphans with these values; those that must be new come first.
  var examples: SQL {
    let matches = SQL.all(Array(key.from.enumerated())) { index, column in
      "grown.k\(index) = +c.\(column) COLLATE BINARY AND grown.t\(index) = typeof(c.\(column))"
    }
    return """
      SELECT \(row) FROM \(source) JOIN grown ON \(matches) WHERE \(conditions)
      ORDER BY \(row) <= ifnull(grown.last, \(row) - 1), \(row)
      """
  }
}

extension Connection {
  /// The columns of the parent that a foreign key leads to, each with a `COLLATE` clause if the
  /// primary key compares it in another way; nil if the parent does not have them.
  fileprivate borrowing func parentColumns(
    of key: ForeignKey
  ) throws(SQLiteError) -> [(name: Name, collate: SQL)]? {
    guard try hasTable(key.parent) else { return nil }
    let all = try columns(of: key.parent)
    let names = key.to.isEmpty ? all.primaryKey : key.to
    guard names.count == key.from.count,
      names.allSatisfy({ name in all.contains { $0.name == name } })
    else { return nil }
    var collations: [Name: Name] = [:]
    if key.to.isEmpty {
      let index = try prepare(
        """
        SELECT part.name, part.coll FROM pragma_index_list(?1, 'main') AS list
        JOIN pragma_index_xinfo(list.name, 'main') AS part WHERE list.origin = 'pk' AND part.key
        """)
      try index.bind(key.parent, at: 1)
      while try index.step() {
        if let name = index.name(0) { collations[name] = index.name(1) }
      }
    }
    return names.map { name in (name, collations[name].map { " COLLATE \($0)" } ?? "") }
  }

  /// A name of the row identifier that no column of the table has; `NULL` if there is none.
  fileprivate borrowing func rowIdentifier(of table: Name) throws(SQLiteError) -> SQL {
    let taken = try columns(of: table).map(\.name)
    let free = [Name("_rowid_"), Name("rowid"), Name("oid")].first { !taken.contains($0) }
    guard let free else { return "NULL" }
    do {
      // With the table's name, because double quotes alone may make it a string.
      _ = try prepare("SELECT c.\(free) FROM main.\(table) c" as SQL)
      return "c.\(free)"
    } catch  where error.code == .error {
      // The table is WITHOUT ROWID.
      return "NULL"
    }
  }
}
