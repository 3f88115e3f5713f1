internal import UpliftSQLite

/// Finds the orphans that a script made, at its end.
struct NewOrphanSearch {
  /// The number of orphans that a report lists.
  private static let most = 10

  private let breakable: BreakableKeys
  private let counter: OrphanCounter
  private let reader: ColumnReader
  private var violations = OrphanCheck.Violations()
  private var uncounted: Set<OldForeignKey> = []
  /// The old foreign keys that a new one was matched with; none is matched twice.
  private var matched: Set<OldForeignKey> = []
  /// The foreign keys that have been checked, each as it is now and as it was.
  ///
  /// If a table declares the same foreign key twice, its orphans are counted once.
  private var checked: Set<[OldForeignKey?]> = []

  init(_ breakable: BreakableKeys, _ counter: OrphanCounter, _ reader: ColumnReader) {
    self.breakable = breakable
    self.counter = counter
    self.reader = reader
  }

  /// Checks the foreign keys that the script may have broken.
  mutating func run(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> OrphanCheck.Findings {
    for (table, key) in try breakable.all(connection) { try check(key, of: table, connection) }
    // The script runs again, and then all its orphans are reported together.
    if !uncounted.isEmpty { return .uncounted(uncounted) }
    return violations.count > 0 ? .violations(violations) : .none
  }

  private mutating func check(
    _ key: FollowedTable.Key, of table: Name, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let now = OldForeignKey(table: table, key: key.now)
    let before = key.before.map { OldForeignKey(table: table, key: $0) }
    guard checked.insert([now, before]).inserted else { return }
    let query = try OrphanQuery(key.now, of: table, reader, connection)
    let original = breakable.tables.original(of: key, in: table, matched: &matched)
    if let original, let counts = counter.counts(of: original) {
      let growth = try counts.growth(
        of: original, by: query, atMost: Self.most - violations.rows.count, connection)
      return try add(growth.rows, growth.count, query, connection)
    }
    guard try query.hasOrphans(connection) else { return }
    if let original, !counter.countsAll {
      uncounted.insert(original)
    } else {
      // The foreign key is new, or the count of all old orphans does not include it.
      let orphans = try query.rows(connection)
      var rows: [Int64?] = []
      while violations.rows.count + rows.count < Self.most, try orphans.step() {
        rows.append(orphans.isNull(0) ? nil : orphans.integer(0))
      }
      try add(rows, try query.count(connection), query, connection)
    }
  }

  /// Adds the new orphans of a foreign key to the violations.
  private mutating func add(
    _ rows: [Int64?], _ count: Int, _ query: OrphanQuery, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    guard count > 0 else { return }
    let fault = try query.parent.fault(connection)
    violations.rows += rows.prefix(Self.most - violations.rows.count).map { row in
      UpgradeError.Violation(
        table: query.table.shown, row: row, columns: query.key.from.map(\.shown),
        parent: query.key.parent.shown, fault: fault)
    }
    violations.count += count
    violations.origin.add(try breakable.origin(of: query.key, in: query.table, connection))
    let parent = query.key.parent
    let tables = breakable.tables
    if tables.lostNames[parent] != nil { violations.followDrop = true }
    if tables[parent].rows.deleted != nil || violations.followDrop {
      violations.followRemoval = true
    }
  }
}
