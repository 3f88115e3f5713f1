internal import Uplift
internal import UpliftSQLite

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
