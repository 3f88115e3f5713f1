internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Finds rows of the seed that were changed, and that no script brings to older databases.
///
/// A database at the number of the seed never gets them, so the seed must have the rows that were
/// released under its number. An older one must have the rows of the seed after its upgrade.
struct ChangedContent {
  private let seed: Seed
  private let version: Version
  /// The script that reads the seed.
  private let script: Script?
  private let olds: [OldSeed]
  private var reported: Set<Name> = []

  /// Nil if there is no seed.
  init?(_ seed: Seed?, _ scripts: ShippedScripts, _ olds: [OldSeed]) throws(UpgradeError) {
    guard let seed else { return nil }
    (self.seed, self.olds) = (seed, olds)
    script = scripts.readingSeed.first
    version = try SeedFile.header(of: seed).version
  }

  /// The findings about rows that were changed without a new number.
  func withoutNewNumber(
    open: (Seed) throws(UpgradeError) -> Connection
  ) throws(UpgradeError) -> [Finding] {
    var findings: [Finding] = []
    for old in olds where old.version == version {
      let now = try open(seed)
      let before = try open(.file(old.path))
      do {
        for table in try Self.tables(in: now, since: before) {
          findings.append(
            finding(
              table,
              "than in \(old.path.shown), and both are at \(version): a database at \(version) never "
                + "gets the new rows",
              fix: script == nil
                ? refresh(table)
                : "run uplift bake --content, which gives the seed and the script the next number"))
        }
      } catch {
        throw UpgradeError(error, at: old.path.shown)
      }
    }
    return findings
  }

  /// True for a seed whose upgrade should bring the rows of this one.
  func isOlder(_ start: StartingPoint) -> Bool {
    olds.contains { $0.path.shown == start.name && $0.version < version }
  }

  /// The findings about tables whose rows differ from those of the seed after an upgrade, each once.
  mutating func notBrought(_ tables: [Name], from start: StartingPoint) -> [Finding] {
    tables.filter { reported.insert($0).inserted }.map { table in
      let isWritten = script?.tablesOfStatements.contains(table) == true
      return finding(
        table, "than in \(start.name) after its upgrade: no script brings the new rows",
        fix: (isWritten ? "add what the script leaves out, such as a column" : refresh(table))
          + "; nothing to do if only new databases are to have the rows")
    }
  }

  private func refresh(_ table: Name) -> String {
    "write a script with uplift new --refresh, and name \(table.shown) and all other tables that change, "
      + "then run uplift bake --content"
  }

  private func finding(_ table: Name, _ words: String, fix: String) -> Finding {
    let place = script.map { Finding.Place(in: $0) } ?? Finding.Place(file: seed.name)
    return Finding(
      .contentChanged, place, "\(table.shown) has other rows in the seed \(words)", fix: fix)
  }
}

extension ChangedContent {
  /// The tables whose rows in the seed are not those of an old seed.
  ///
  /// A virtual table is left out: mostly, its rows come from other tables.
  static func tables(
    in seed: borrowing Connection, since old: borrowing Connection
  ) throws(SQLiteError) -> [Name] {
    // A log or a counter that triggers keep has other rows in each database.
    let byTriggers = try seed.tablesOfTriggers()
    var changed: [Name] = []
    for table in try old.tables() where !byTriggers.contains(table) {
      if try !hasSameRows(table, in: seed, as: old) { changed.append(table) }
    }
    return changed
  }

  /// Compares the columns that both have, row by row in the order of the primary key, or of all
  /// columns.
  private static func hasSameRows(
    _ table: Name, in seed: borrowing Connection, as old: borrowing Connection
  ) throws(SQLiteError) -> Bool {
    let before = try old.columns(of: table)
    let now = try seed.columns(of: table)
    let names = Set(now.filter { !$0.isGenerated }.map(\.name))
    let columns = before.map(\.name).filter(names.contains)
    guard !columns.isEmpty else { return true }
    let hasKey = !before.primaryKey.isEmpty && now.primaryKey == before.primaryKey
    let key = hasKey ? before.primaryKey : columns
    // By a collation such as `NOCASE`, rows that differ could come in any order.
    let query: SQL = """
      SELECT \(SQL.list(columns) { "\($0)" }) FROM main.\(table)
      ORDER BY \(SQL.list(key) { "\($0) COLLATE BINARY" })
      """
    let oldRows = try old.prepare(query)
    let newRows = try seed.prepare(query)
    while true {
      let (hasOld, hasNew) = (try oldRows.step(), try newRows.step())
      guard hasOld, hasNew else { return hasOld == hasNew }
      guard columns.indices.allSatisfy({ oldRows.value($0) == newRows.value($0) }) else {
        return false
      }
    }
  }
}

extension Connection {
  /// The tables whose rows a trigger changes.
  fileprivate borrowing func tablesOfTriggers() throws(SQLiteError) -> Set<Name> {
    let rows = try prepare("SELECT sql FROM main.sqlite_master WHERE type = 'trigger'")
    var names: Set<Name> = []
    while try rows.step() {
      names.formUnion(rows.withText(0) { SQLWords(Array($0)) }.changedTables)
    }
    return names
  }
}
