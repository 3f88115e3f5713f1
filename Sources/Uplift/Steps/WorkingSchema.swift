internal import UpliftSQLite

/// Which views and triggers of a database compile: a rebuilt table must break none.
///
/// Broken ones are common in old databases, and SQLite's own `ALTER TABLE` fails on them; here
/// they stay as they are.
struct WorkingSchema {
  /// What does not compile, and SQLite's words about it.
  private let broken: [String: String]
  private let known: Set<String>

  init(
    of table: String, _ database: borrowing Database, at place: SourcePlace
  ) throws(UpgradeError) {
    var broken: [String: String] = [:]
    var known: Set<String> = []
    func look(_ what: String, _ sql: String, _ database: borrowing Database) {
      known.insert(what)
      broken[what] = database.complaint(about: sql)
    }
    let views = try database.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'view'", at: place)
    for view in views.compactMap({ String(databaseValue: $0.values[0]) }) {
      look("view \"\(view)\"", "SELECT * FROM main.\(view.asName)", database)
    }
    let triggers = try database.rows(
      "SELECT DISTINCT tbl_name FROM main.sqlite_schema WHERE type = 'trigger'", at: place)
    for owner in triggers.compactMap({ String(databaseValue: $0.values[0]) }) {
      let name = "main.\(owner.asName)"
      look("a trigger on INSERT into \"\(owner)\"", "INSERT INTO \(name) DEFAULT VALUES", database)
      look("a trigger on DELETE from \"\(owner)\"", "DELETE FROM \(name)", database)
      let columns = try TableColumn.all(of: owner, database, at: place).filter { !$0.isGenerated }
      let sets = columns.map { "\($0.name.asName) = NULL" }.joined(separator: ", ")
      look("a trigger on UPDATE of \"\(owner)\"", "UPDATE \(name) SET \(sets)", database)
    }
    self.broken = broken
    self.known = known
  }

  /// The first that worked before and does not now.
  func brokenSince(_ before: WorkingSchema) -> (name: String, words: String)? {
    broken.filter { before.known.contains($0.key) && before.broken[$0.key] == nil }
      .min { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }
}
