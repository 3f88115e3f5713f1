internal import UpliftSQLite

/// The highest identifiers that tables with `AUTOINCREMENT` have given to rows.
///
/// SQLite keeps them in `sqlite_sequence`. A rebuild loses the counter of its table: the new table
/// counts on from its own rows, and gives identifiers a second time.
struct IdentifierCounters {
  private var counters: [Name: Int64]
  /// The counters before the latest script.
  private(set) var before: [Name: Int64] = [:]

  /// A table whose counter is lower than before.
  struct Loss {
    let table: Name
    let before: Int64
    let after: Int64

    var fact: Fact { .lostCounter(table: table.shown, before: before, after: after) }
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    counters = try Self.read(connection)
  }

  /// Reads the counters again, and returns those that rebuilds have lost.
  mutating func losses(
    _ changes: ObservedTables.Changes, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Loss] {
    before = counters
    counters = try Self.read(connection)
    return changes.kept.filter(\.isRebuilt).compactMap {
      loss(of: before[$0.before.name], $0.after)
    }
  }

  /// What a new table has lost of the counter of the old one.
  func loss(of highest: Int64?, _ new: ObservedTable) -> Loss? {
    guard let highest, new.options.isAutoincrement else { return nil }
    let now = counters[new.name] ?? 0
    return now < highest ? Loss(table: new.name, before: highest, after: now) : nil
  }

  private static func read(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Name: Int64] {
    guard
      try connection.count(upTo: 1, "FROM main.sqlite_master WHERE name = 'sqlite_sequence'") > 0
    else { return [:] }
    let rows = try connection.prepare("SELECT name, seq FROM main.sqlite_sequence")
    var counters: [Name: Int64] = [:]
    while try rows.step() {
      if let name = rows.name(0) { counters[name] = rows.integer(1) }
    }
    return counters
  }
}
