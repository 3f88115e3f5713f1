internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// Finds rows of the seed that were changed, and that no script brings to older databases.
///
/// A database at the number of the seed never gets them, so the seed must have the rows that were
/// released under its number. An older one must have the rows of the seed after its upgrade.
struct ChangedContent {
  /// A table of the seed.
  struct Table {
    let name: Name
    let isVirtual: Bool
  }

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
          let words =
            "than in \(old.path.shown), and both are at \(version): a database at \(version) never "
            + "gets the new rows"
          findings.append(
            finding(
              table, words,
              fix: script == nil
                ? "write a script with uplift new --refresh \(table.name.shown), then run uplift bake "
                  + "--content"
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
  mutating func notBrought(_ tables: [Table], from start: StartingPoint) -> [Finding] {
    tables.filter { reported.insert($0.name).inserted }.map { table in
      let name = table.name.shown
      let remedy =
        if let script, script.tablesOfStatements.contains(table.name) {
          "add what the script leaves out, such as a column, or a unique value that goes from one row to "
            + "another"
        } else if table.isVirtual {
          "write statements for \(name) into the script that reads the seed, then run uplift bake --content"
        } else if script == nil {
          "write a script with uplift new --refresh \(name), then run uplift bake --content"
        } else {
          "write the script anew with uplift new --refresh, and name \(name), too, then run uplift bake "
            + "--content"
        }
      return finding(
        table, "than in \(start.name) after its upgrade: no script brings the new rows",
        fix: remedy + "; nothing to do if only new databases are to have the rows")
    }
  }

  private func finding(_ table: Table, _ words: String, fix: String) -> Finding {
    let place = script.map { Finding.Place(in: $0) } ?? Finding.Place(file: seed.name)
    return Finding(
      .contentChanged, place, "\(table.name.shown) has other rows in the seed \(words)", fix: fix)
  }
}

extension ChangedContent {
  /// The tables whose rows in the seed are not those of an old seed, except some tables.
  static func tables(
    in seed: borrowing Connection, since old: borrowing Connection
  ) throws(SQLiteError) -> [Table] {
    let tables = try old.prepare(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    let shadows = try old.shadowTables()
    // A log or a counter that triggers keep has other rows in each database.
    let byTriggers = try seed.tablesOfTriggers()
    var changed: [Table] = []
    while try tables.step() {
      guard let name = tables.name(0), !name.isInternal, !shadows.contains(name),
        !byTriggers.contains(name)
      else { continue }
      let table = Table(name: name, isVirtual: tables.integer(1) == 0)
      if table.isVirtual, !name.hasContent(in: shadows) { continue }
      do throws(SQLiteError) {
        if try !hasSameRows(name, in: seed, as: old) { changed.append(table) }
      } catch {
        // A virtual table may need more than `check` has.
        if !table.isVirtual { throw error }
      }
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

extension Name {
  /// True for a virtual table with rows of its own: a full-text index, an R-tree.
  ///
  /// A full-text index of another table has no such shadow table.
  fileprivate func hasContent(in shadows: Set<Name>) -> Bool {
    ["_content", "_node"].contains { shadows.contains(Name(bytes + $0.utf8)) }
  }
}
