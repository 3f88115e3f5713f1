internal import Uplift
internal import UpliftSQLite

/// Finds the rows of users in tables that a script refreshes from the seed.
///
/// A row is a user's if no seed has its primary key. If old seeds are known, a row is also a user's
/// if only the new seed has its key, with other values. If one of them has the version of the
/// database, the same holds for the other old seeds: the database never had their other rows.
final class UserRows {
  typealias Value = Upgrader.Database.Value

  private let oldSeeds: [OldSeed]
  private let version: Version?
  private let prepare: Upgrader.Prepare?
  private var found: [Found] = []

  /// What a script did to a user's row.
  private enum Fate: String { case overwritten, deleted }

  private struct Found {
    let table: Name
    let key: [RefreshedTable.KeyColumn]
    let rows: [Row]
  }

  private struct Row {
    let key: [Value]
    /// The hash of all values: equal rows have equal ones.
    let hash: Int
  }

  /// The largest number of users' rows that are compared in one table.
  private static let limit = 100_000

  /// `version` is that of the database before its upgrade; nil if it begins empty or with the seed.
  init(oldSeeds: [OldSeed], version: Version?, prepare: Upgrader.Prepare?) {
    self.oldSeeds = oldSeeds
    self.version = version
    self.prepare = prepare
  }

  func willRefresh(
    _ tables: [RefreshedTable], on connection: borrowing Connection
  ) throws(SQLiteError) {
    found = []
    for table in tables { found.append(try search(table, connection)) }
  }

  /// Reads the users' rows of a table.
  private func search(
    _ table: RefreshedTable, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Found {
    let (name, key) = (table.name, table.key)
    let columns = try connection.columns(of: name).filter { !$0.isGenerated }.map(\.name)
    let seeds = try openOldSeeds(with: table, columns)
    // If an old seed is known, a row with the key of a new row may be a user's, unless the two rows
    // are equal.
    let other: SQL = seeds.isEmpty ? "" : " AND \(table.hasSameValues)"
    let rows = try connection.prepare(
      """
      SELECT \(SQL.list(columns) { "ours.\($0)" }) FROM main.\(name) AS ours
      WHERE NOT EXISTS
        (SELECT 1 FROM seed.\(name) AS theirs WHERE \(table.hasSameKey)\(other))
      """ as SQL)
    var users: [Row] = []
    while users.count < Self.limit, try rows.step() {
      let values = columns.indices.map { rows.value($0) }
      if try contain(seeds, values) { continue }
      let keyValues = key.map { column in values[columns.firstIndex(of: column.name) ?? 0] }
      users.append(Row(key: keyValues, hash: values.hashValue))
    }
    return Found(table: name, key: key, rows: users)
  }

  private func openOldSeeds(
    with table: RefreshedTable, _ columns: [Name]
  ) throws(SQLiteError) -> [OldSeed.Table] {
    let isOwnKnown = oldSeeds.contains { $0.version == version }
    var tables: [OldSeed.Table] = []
    for seed in oldSeeds {
      let found = try OldSeed.Table(
        of: seed, table, columns: columns, comparesValues: isOwnKnown && seed.version != version,
        prepare)
      if let found { tables.append(found) }
    }
    return tables
  }

  private func contain(_ seeds: [OldSeed.Table], _ row: [Value]) throws(SQLiteError) -> Bool {
    for seed in seeds where try seed.contains(row) { return true }
    return false
  }

  func didRun(
    _ script: Script, _ actions: ScriptActions, on connection: borrowing Connection
  ) throws(SQLiteError) -> [Finding] {
    defer { found = [] }
    var findings: [Finding] = []
    for one in found where actions.writtenTables.contains(one.table) {
      var rows: [Fate: [Row]] = [:]
      for row in one.rows {
        if let fate = try fate(of: row, in: one, connection) {
          rows[fate, default: []].append(row)
        }
      }
      for (fate, rows) in rows.sorted(by: {
        ($1.value.count, $0.key.rawValue) < ($0.value.count, $1.key.rawValue)
      }) {
        guard let first = rows.first else { continue }
        let shown = zip(one.key, first.key).map { "\($0.name.shown) \($1.shown)" }
        let words =
          rows.count == 1
          ? "a user's row in it is"
          : "\(one.rows.count < Self.limit ? "" : "at least ")\(rows.count) users' rows in it are"
        findings.append(
          Finding(
            .userRow, in: script,
            "\(one.table.shown) is refreshed from the seed, and \(words) \(fate.rawValue): "
              + shown.joined(separator: ", "),
            fix: "refresh only the rows of the seed, or keep users' rows in a table of their own"))
      }
    }
    return findings
  }

  /// What a script did to a row; nil if it was kept.
  private func fate(
    of row: Row, in found: Found, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Fate? {
    let columns = try connection.columns(of: found.table).filter { !$0.isGenerated }.map(\.name)
    let now = try connection.prepare(
      """
      SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(found.table) AS ours
      WHERE \(SQL.all(found.key) { $0.equals("?", in: "ours") })
      """ as SQL)
    for (index, value) in row.key.enumerated() { try now.bind(value, at: index + 1) }
    guard try now.step() else { return .deleted }
    return columns.indices.map { now.value($0) }.hashValue == row.hash ? nil : .overwritten
  }
}

/// A seed that was released before.
struct OldSeed {
  /// The seed, or a copy of it that has run scripts.
  let path: String
  /// The version with which it was released.
  let version: Version

  /// One table of an old seed, to look up rows of a database in it.
  final class Table {
    private let connection: Connection
    private let sql: SQL
    private let key: [Int]
    private let compared: [Int]

    /// `columns` are those of the rows to look up, and include the key.
    ///
    /// Nil if the seed has no such table.
    init?(
      of seed: OldSeed, _ table: RefreshedTable, columns: [Name], comparesValues: Bool,
      _ prepare: Upgrader.Prepare?
    ) throws(SQLiteError) {
      let deadline = Deadline(patience: .zero, isCancelled: { false })
      let connection = try Connection(path: seed.path, access: .immutable, deadline: deadline)
      do {
        try connection.prepare(by: prepare, at: seed.path)
      } catch {
        throw SQLiteError(code: .error, message: error.description)
      }
      let theirs = try connection.columns(of: table.name).map(\.name)
      guard table.key.allSatisfy({ theirs.contains($0.name) }) else { return nil }
      self.connection = connection
      key = table.key.compactMap { columns.firstIndex(of: $0.name) }
      compared = comparesValues ? columns.indices.filter { theirs.contains(columns[$0]) } : []
      let values = SQL.list([table.key[0].name] + compared.map { columns[$0] }) { "theirs.\($0)" }
      sql = """
        SELECT \(values) FROM main.\(table.name) AS theirs
        WHERE \(SQL.all(table.key) { $0.equals("?", in: "theirs") })
        """
    }

    /// True if the seed has a row with the key of `row`, and with its values if they are compared.
    func contains(_ row: [Upgrader.Database.Value]) throws(SQLiteError) -> Bool {
      let found = try connection.prepare(sql)
      for (index, column) in key.enumerated() { try found.bind(row[column], at: index + 1) }
      guard try found.step() else { return false }
      return compared.enumerated().allSatisfy { found.value($0 + 1) == row[$1] }
    }
  }
}
