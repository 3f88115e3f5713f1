internal import UpliftSQLite

/// The orphans that existed before a script.
///
/// The script is not at fault for them.
///
/// They are counted by the values in the columns of the foreign key, because row identifiers may
/// change when a script rebuilds a table. The counts are in a temporary database of their own.
/// SQLite moves it to the disk when it grows, so that millions of orphans need little memory. Its
/// columns compare values as the columns of the parent do, because a rebuilt table may hold 5.0 or
/// '5' for 5.
final class OldOrphans {
  /// The new orphans of one foreign key.
  struct Growth {
    /// The identifiers of the rows, at most as many as were asked for; nil for a row whose
    /// identifier is not known.
    let rows: [Int64?]
    let count: Int
  }

  private let store: Connection
  /// The number in the name of the table that holds the counts of a foreign key.
  private var numbers: [OldForeignKey: Int] = [:]

  init(_ deadline: Deadline) throws(SQLiteError) {
    store = try Connection.temporary(deadline: deadline)
    try store.run("PRAGMA journal_mode=OFF" as SQL)
    try store.run("PRAGMA synchronous=OFF" as SQL)
    try store.run("BEGIN" as SQL)
  }

  func isCounted(_ key: OldForeignKey) -> Bool { numbers[key] != nil }

  /// Counts the orphans of a foreign key, before the script touches them.
  func count(
    _ old: OldForeignKey, by query: OrphanQuery, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let number = numbers.count + 1
    let columns = query.key.from.indices
    let definitions = columns.map { index in
      let collation = Self.builtIn(query.parent.collation(of: index, connection))
      return "k\(index) \(Self.type(of: index, query.parent)) COLLATE \(collation)" as SQL
    }
    let names = columns.map { "k\($0)" as SQL }.joined(separator: ", ")
    try store.run(
      """
      CREATE TABLE o\(number) (\(definitions.joined(separator: ", ")),
        before INTEGER, after INTEGER, first INTEGER, last INTEGER, PRIMARY KEY (\(names)))
        WITHOUT ROWID
      """ as SQL)
    try add(query, to: number, isBefore: true, connection)
    numbers[old] = number
  }

  /// Compares the orphans of a foreign key with those that were counted before the script.
  func growth(
    of old: OldForeignKey, by query: OrphanQuery, atMost most: Int,
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> Growth {
    guard let number = numbers[old] else { return Growth(rows: [], count: 0) }
    // Two foreign keys may be compared with the same old one, so the count starts again at 0.
    try store.run("UPDATE o\(number) SET after = 0 WHERE after > 0" as SQL)
    try add(query, to: number, isBefore: false, connection)
    let columns = query.key.from.indices.map { "k\($0)" as SQL }.joined(separator: ", ")
    let grown = try store.prepare(
      "SELECT after - before, first, last, \(columns) FROM o\(number) WHERE after > before" as SQL)
    var rows: [Int64?] = []
    var count = 0
    while try grown.step() {
      let more = Int(grown.integer(0))
      count += more
      guard rows.count < most else { continue }
      let orphans = try query.rowsWithValues(connection)
      for index in query.key.from.indices { try orphans.bind(3 + index, of: grown, at: index + 1) }
      try orphans.bind(1, of: grown, at: query.key.from.count + 1)
      try orphans.bind(2, of: grown, at: query.key.from.count + 2)
      var found: [Int64?] = []
      while found.count < min(more, most - rows.count), try orphans.step() {
        found.append(orphans.isNull(0) ? nil : orphans.integer(0))
      }
      // The query does not find a value that the child writes in another way ('5' for 5).
      rows += found.isEmpty ? [nil] : found
    }
    return Growth(rows: rows, count: count)
  }

  /// Adds the present orphans to the counts: those before the script, or those after it.
  private func add(
    _ query: OrphanQuery, to number: Int, isBefore: Bool, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let count = query.key.from.count
    let names = (0..<count).map { "k\($0)" as SQL }.joined(separator: ", ")
    let values = (0..<count).map { "?\($0 + 1)" as SQL }.joined(separator: ", ")
    let new: SQL =
      isBefore
      ? "?\(count + 1), 0, ?\(count + 2), ?\(count + 3)" : "0, ?\(count + 1), NULL, NULL"
    let change: SQL =
      isBefore
      ? """
      before = before + excluded.before, first = min(first, excluded.first),
      last = max(last, excluded.last)
      """
      : "after = after + excluded.after"
    let insert = try store.prepare(
      """
      INSERT INTO o\(number) (\(names), before, after, first, last) VALUES (\(values), \(new))
        ON CONFLICT (\(names)) DO UPDATE SET \(change)
      """ as SQL)
    let groups = try query.groups(connection)
    while try groups.step() {
      for column in 0..<(count + (isBefore ? 3 : 1)) {
        try insert.bind(column, of: groups, at: column + 1)
      }
      try insert.run()
      insert.reset()
    }
  }

  /// The declared type of a parent's column, from which SQLite derives the affinity; empty if there
  /// is none.
  ///
  /// Without a type, values are compared as they are.
  private static func type(of index: Int, _ parent: ParentKey) -> SQL {
    guard parent.hasColumns, !parent.columns[index].type.bytes.isEmpty else { return "" }
    return "\(parent.columns[index].type)"
  }

  /// The collation if it is one of SQLite's own, and `BINARY` if not.
  ///
  /// The temporary database does not have the collations of a program.
  private static func builtIn(_ collation: Name?) -> String {
    let names = ["BINARY", "NOCASE", "RTRIM"]
    return names.first { collation == Name($0) } ?? "BINARY"
  }
}
