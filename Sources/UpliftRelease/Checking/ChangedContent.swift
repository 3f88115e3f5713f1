internal import Uplift
internal import UpliftSQLite

/// Finds rows of the seed that were changed, and that no script brings to older databases.
///
/// Old seeds among the fixtures show what was released. A database that has the number of the seed
/// already never gets such rows. An older one gets those that a script brings.
struct ChangedContent {
  /// A table of the seed.
  struct Table {
    let name: Name
    let isVirtual: Bool
  }

  /// The newest old seed that is older than the seed; nil if one is of the same version.
  let newestOlder: String?
  private let sameVersion: [String]
  private let seed: Seed
  private let version: Version
  /// The script that reads the seed.
  private let script: Script?

  /// Nil if there is no seed.
  init?(_ seed: Seed?, _ scripts: ShippedScripts, oldSeeds: [OldSeed]) throws(UpgradeError) {
    guard let seed else { return nil }
    self.seed = seed
    script = scripts.readingSeed.first
    let version = try SeedFile.header(of: seed).version
    self.version = version
    sameVersion = oldSeeds.filter { $0.version == version }.map(\.path)
    let newest = oldSeeds.filter { $0.version < version }.max { $0.version < $1.version }
    newestOlder = sameVersion.isEmpty ? newest?.path : nil
  }

  /// The facts about rows that were changed without a new number.
  func withoutNewNumber(
    open: (Seed) throws(UpgradeError) -> Connection
  ) throws(UpgradeError) -> [Finding] {
    var findings: [Finding] = []
    for old in sameVersion {
      let now = try open(seed)
      let before = try open(.file(old))
      do {
        findings += try Self.tables(in: now, since: before).map {
          finding($0, since: old, at: version)
        }
      } catch {
        throw UpgradeError(error, at: old)
      }
    }
    return findings
  }

  /// The facts about rows that the newest older seed lacks after its upgrade.
  func notBrought(_ tables: [Table]) -> [Finding] {
    guard let newestOlder else { return [] }
    return tables.map { finding($0, since: newestOlder, at: nil) }
  }

  private func finding(_ table: Table, since old: String, at version: Version?) -> Finding {
    let name = table.name.shown
    let meaning =
      version.map { "and both are at \($0): a database at \($0) never gets the new rows" }
    let words =
      "\(name) has other rows in the seed than in \(old)"
      + (meaning.map { ", \($0)" } ?? " after its upgrade: no script brings the new rows")
    let remedy: String
    if let script, script.tablesOfStatements.contains(table.name) {
      remedy = "run uplift bake --content, which gives the seed and the script the next number"
    } else {
      let beginning =
        table.isVirtual
        ? "write statements for \(name) into the script that reads the seed"
        : script == nil
          ? "write a script with uplift new --refresh \(name)"
          : "write the script anew with uplift new --refresh, and name \(name), too"
      remedy =
        beginning + ", then run uplift bake --content; "
        + "nothing to do if only new databases are to have the rows"
    }
    let place =
      script.map { Finding.Place(in: $0) } ?? StartingPoint.seed(path: seed.name).place
    return Finding(.contentChanged, place, words, fix: remedy)
  }
}

extension ChangedContent {
  /// The tables whose rows in the seed are not those of an old seed, except some tables.
  static func tables(
    in seed: borrowing Connection, since old: borrowing Connection, except others: Set<Name> = []
  ) throws(SQLiteError) -> [Table] {
    let tables = try old.prepare(
      "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    let shadows = try old.shadowTables()
    var changed: [Table] = []
    while try tables.step() {
      guard let name = tables.name(0), !name.isInternal, !shadows.contains(name),
        !others.contains(name)
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

extension Name {
  /// True for a virtual table with rows of its own: a full-text index, an R-tree.
  ///
  /// A full-text index of another table has no such shadow table.
  fileprivate func hasContent(in shadows: Set<Name>) -> Bool {
    ["_content", "_node"].contains { shadows.contains(Name(bytes + $0.utf8)) }
  }
}
