internal import UpliftSQLite

/// The orphans of foreign keys, counted by value before a step and after it.
///
/// An orphan is new if more child rows than before have its value, of its type, in the same foreign
/// key. Row identifiers do not count, because a rebuild of a table may change them. After a rename
/// of the table, of a column or of the parent, each orphan is new.
///
/// The counts are in temporary tables, which SQLite moves to the disk when they grow.
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
    // SQLite makes no index of its own for the comparison.
    let values = key.from.indices.map { "k\($0), t\($0)" as SQL }.joined(separator: ", ")
    let index = Self.table(counted.count, "values")
    try connection.run("CREATE INDEX temp.\(index) ON \(table)(\(values))" as SQL)
    counted.append((child, key))
  }

  /// The orphans of a foreign key that a step has made; at most `limit` are listed.
  func new(
    _ key: ForeignKey, among keys: [ForeignKey], of child: Name, mismatch: String?,
    listing limit: Int, _ connection: borrowing Connection
  ) throws(SQLiteError) -> UpgradeError.Orphans {
    let query = try OrphanQuery(key, of: child, connection)
    let grown = query.grown(since: counts(of: key, among: keys, of: child))
    let sum = "WITH \(grown) SELECT ifnull(sum(more), 0) FROM grown" as SQL
    let count = Int(try connection.integer(sum))
    guard count > 0, limit > 0 else { return UpgradeError.Orphans(rows: [], count: count) }
    let isNoKey = mismatch?.hasSuffix(" referencing \"\(key.parent.shown)\"") == true
    let examples = try connection.prepare(
      "WITH \(grown) \(query.examples) LIMIT \(min(count, limit))" as SQL)
    var rows: [UpgradeError.Orphan] = []
    while try examples.step() {
      rows.append(
        UpgradeError.Orphan(
          table: child.shown, row: examples.isNull(0) ? nil : examples.integer(0),
          columns: key.from.map(\.shown), parent: key.parent.shown,
          fault: query.missing ?? (isNoKey ? .noKey : nil)))
    }
    return UpgradeError.Orphans(rows: rows, count: count)
  }

  /// Drops the temporary tables, before the commit.
  mutating func forget(_ connection: borrowing Connection) throws(SQLiteError) {
    if counted.isEmpty { return }
    for number in counted.indices { try connection.run("DROP TABLE temp.\(Self.table(number))") }
    counted = []
  }

  /// The name would hide a table of the database that had it.
  private static func table(_ number: Int, _ part: String = "counts") -> String {
    "\"uplift's orphans \(number) \(part)\""
  }

  /// The table with the counts of a foreign key; nil if it was not counted.
  ///
  /// The parent's columns may have other names, or a rebuild may spell them out. So of the keys that
  /// differ only in them, those that are gone and those that have come belong together, in order.
  private func counts(
    of key: ForeignKey, among keys: [ForeignKey], of child: Name
  ) -> String? {
    let before = counted.indices.filter { number in
      let old = counted[number]
      return old.child == child && old.key.from == key.from && old.key.parent == key.parent
    }
    if let number = before.first(where: { counted[$0].key == key }) { return Self.table(number) }
    let gone = before.filter { !keys.contains(counted[$0].key) }
    let come = keys.filter { new in
      new.from == key.from && new.parent == key.parent
        && !before.contains { counted[$0].key == new }
    }
    return zip(come, gone).first { $0.0 == key }.map { Self.table($0.1) }
  }
}

/// The queries for the orphans of one foreign key.
///
/// The parent's columns are compared even if they are not a key. If the parent or a column is
/// missing, every row with a value is an orphan.
private struct OrphanQuery {
  private let key: ForeignKey
  /// What the schema lacks; nil if the parent has the columns.
  let missing: UpgradeError.Orphan.Fault?
  /// The orphans: the child `c`, joined with the parent `p` if the parent has the columns.
  private let source: SQL
  private let conditions: SQL
  /// The row identifier of the child, or `NULL`.
  private let row: SQL

  init(_ key: ForeignKey, of child: Name, _ connection: borrowing Connection) throws(SQLiteError) {
    self.key = key
    row = try connection.rowIdentifier(of: child).map { "c.\($0)" } ?? "NULL"
    let hasValues = SQL.all(key.from) { "c.\($0) IS NOT NULL" }
    guard let parent = try connection.parentColumns(of: key) else {
      missing = try connection.hasTable(key.parent) ? .noColumns : .noTable
      source = "main.\(child) c"
      conditions = hasValues
      return
    }
    missing = nil
    // The parent's column decides how values are compared: it stands on the left, and a `+` takes
    // the affinity and the collation from the child's column. For a `NOT EXISTS` instead of the left
    // join, SQLite would open the parent again for each row, and make no index.
    let matches = SQL.all(Array(zip(parent, key.from))) { parent, column in
      "p.\(parent.name)\(parent.collate) = +c.\(column)"
    }
    source = "main.\(child) c LEFT JOIN main.\(key.parent) p ON \(matches)"
    conditions = "\(hasValues) AND p.\(parent[0].name) IS NULL"
  }

  /// One row for all orphans with the same values: the values, their types, the number of orphans,
  /// and the largest row identifier.
  ///
  /// The child's own collation could merge values that differ for the parent. So could 1 and 1.0
  /// without their types: they differ if the parent's column holds text.
  var groups: SQL {
    let values = key.from.enumerated().map { index, column in
      "+c.\(column) COLLATE BINARY AS k\(index), typeof(c.\(column)) AS t\(index)" as SQL
    }
    let places = (1...2 * key.from.count).map(String.init)
    return """
      SELECT \(values.joined(separator: ", ")), count(*) AS n, max(\(row)) AS last
      FROM \(source) WHERE \(conditions) GROUP BY \(places.joined(separator: ", "))
      """
  }

  /// A table expression `grown`: the values of which there are `more` orphans than before.
  func grown(since counts: String?) -> SQL {
    guard let counts else {
      return "grown AS (SELECT *, n AS more, NULL AS latest FROM (\(groups)))"
    }
    let matches = SQL.all(Array(key.from.indices)) {
      "now.k\($0) = old.k\($0) AND now.t\($0) = old.t\($0)"
    }
    return """
      grown AS (
        SELECT now.*, now.n - ifnull(old.n, 0) AS more, old.last AS latest
        FROM (\(groups)) now LEFT JOIN temp.\(counts) old ON \(matches)
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
      ORDER BY \(row) <= ifnull(grown.latest, \(row) - 1), \(row)
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
    let isThere = names.count == key.from.count && Set(names).isSubset(of: all.map(\.name))
    guard isThere else { return nil }
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
}
