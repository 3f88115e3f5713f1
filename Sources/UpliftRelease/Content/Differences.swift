internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// What differs between the rows of the seed and those of the seeds that were released before it.
struct Differences {
  struct Table {
    /// The contents that rows had, and have not any more, each as values in SQL.
    var former: [String] = []
    /// For each key that a release lacked: the key, and from and below which version a database
    /// lacks it.
    var lacked: [String] = []
  }

  /// The oldest released version: a database from before it has nothing of the seed.
  let oldest: Int32
  private(set) var tables: [Name: Table] = [:]

  /// Compares the seed, which gets the version `new`, with older ones.
  ///
  /// `olds` are released seeds, in the order of their versions, with copies that have run the scripts
  /// since.
  init(
    of tables: [ContentTable], in seed: Seed, at new: Version,
    since olds: [(seed: OldSeed, copy: Path)], _ prepare: Upgrader.Prepare?
  ) throws(UpgradeError) {
    oldest = olds.first?.seed.version.number ?? new.number
    var known: [Name: Set<String>] = [:]
    // For each table, the keys that the release before lacked, and since when.
    var open: [Name: [String: Int32]] = [:]
    for (old, copy) in olds {
      let version = old.version
      let connection = try SeedConnection.openCopy(copy, prepare: prepare)
      do throws(SQLiteError) {
        try seed.attach(to: connection)
        for table in tables {
          let lacked = try connection.values(
            table.key.map(\.name), of: table, in: "seed", as: "new", lackedBy: "main")
          let stillLacked = Set(lacked)
          for (key, since) in open[table.name] ?? [:] where !stillLacked.contains(key) {
            add("\(key), \(since), \(version.number)", to: table)
            open[table.name]?[key] = nil
          }
          for key in lacked where open[table.name]?[key] == nil {
            open[table.name, default: [:]][key] = version.number
          }
          let former = try connection.values(
            table.columns.map(\.name), of: table, in: "main", as: "old", lackedBy: "seed",
            comparesValues: true)
          for row in former where known[table.name, default: []].insert(row).inserted {
            self.tables[table.name, default: Table()].former.append(row)
          }
        }
      } catch {
        throw UpgradeError(error, at: old.path.shown)
      }
    }
    for table in tables {
      for (key, since) in open[table.name] ?? [:] {
        add("\(key), \(since), \(new.number)", to: table)
      }
      self.tables[table.name]?.lacked.sort()
    }
  }

  private mutating func add(_ row: String, to table: ContentTable) {
    tables[table.name, default: Table()].lacked.append(row)
  }
}

extension Connection {
  /// The values of the rows of one schema that another one lacks, as SQL; by their keys, or by all
  /// values.
  fileprivate borrowing func values(
    _ columns: [Name], of table: ContentTable, in schema: String, as alias: String,
    lackedBy other: String, comparesValues: Bool = false
  ) throws(SQLiteError) -> [String] {
    let quoted = columns.flatMap { column in
      let value = "\(alias).\(column.sql)"
      return [
        // `quote` ends a text at a zero byte. Before SQLite 3.41 it writes Inf, which is no number.
        """
        CASE WHEN typeof(\(value)) = 'text' AND (instr(\(value), char(13)) OR instr(\(value), char(0)))
          THEN x'FF' WHEN \(value) = 9e999 THEN '9e999' WHEN \(value) = -9e999 THEN '-9e999'
          ELSE quote(\(value)) END
        """, "'CAST(' || quote(CAST(\(value) AS BLOB)) || ' AS TEXT)'",
      ]
    }
    let same = comparesValues ? " AND \(table.sameValues(alias, "other", isTemporary: false))" : ""
    let rows = try prepare(
      """
      SELECT \(quoted.joined(separator: ", ")) FROM \(schema).\(table.text) AS \(alias)
      WHERE NOT EXISTS (SELECT 1 FROM \(other).\(table.text) AS other
        WHERE \(table.sameKey("other", alias))\(same))
      ORDER BY \(table.key.map { "\(alias).\($0.name.sql)" }.joined(separator: ", "))
      """)
    var found: [String] = []
    while try rows.step() {
      let values = columns.indices.map { index in
        // A script is UTF-8.
        String(validating: rows.withText(2 * index) { Array($0) }, as: UTF8.self)
          ?? rows.text(2 * index + 1) ?? "NULL"
      }
      found.append(values.joined(separator: ", "))
    }
    return found
  }
}
