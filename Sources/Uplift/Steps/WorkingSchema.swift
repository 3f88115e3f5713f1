internal import UpliftSQLite

/// Which views and triggers of a database compile.
///
/// A rebuilt table must not break any of them. Views and triggers that were broken before are
/// common in old databases. SQLite's own `ALTER TABLE` fails if there are some. A rebuild leaves
/// them as they are.
struct WorkingSchema {
  /// A view, or those triggers of a table that fire for one kind of statement.
  private struct Part: Hashable {
    let kind: String
    let name: Name

    var shown: String { "\(kind) \"\(name.shown)\"" }

    func precedes(_ other: Part) -> Bool { (kind, name) < (other.kind, other.name) }
  }

  /// The parts that do not compile, with SQLite's words.
  private var broken: [Part: String] = [:]
  /// All parts.
  private var known: Set<Part> = []

  init(_ database: borrowing Database, at location: SourceLocation) throws(UpgradeError) {
    let views = try database.rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'view'", at: location)
    for view in views.compactMap(\.values[0].name) {
      look(at: Part(kind: "view", name: view), "SELECT * FROM main.\(view)", database)
    }
    let triggers = try database.rows(
      "SELECT DISTINCT tbl_name FROM main.sqlite_schema WHERE type = 'trigger'", at: location)
    for owner in triggers.compactMap(\.values[0].name) {
      // If a view does not compile, no statement that writes to it compiles either.
      if broken[Part(kind: "view", name: owner)] != nil { continue }
      look(
        at: Part(kind: "a trigger on INSERT into", name: owner),
        "INSERT INTO main.\(owner) DEFAULT VALUES", database)
      look(
        at: Part(kind: "a trigger on DELETE from", name: owner), "DELETE FROM main.\(owner)",
        database)
      let columns = try TableColumn.all(of: owner, database, at: location).filter {
        !$0.isGenerated
      }
      let sets = columns.map { "\($0.name) = NULL" as SQL }.joined(separator: ", ")
      look(
        at: Part(kind: "a trigger on UPDATE of", name: owner), "UPDATE main.\(owner) SET \(sets)",
        database)
    }
  }

  /// Compiles a statement that needs the part.
  private mutating func look(at part: Part, _ sql: SQL, _ database: borrowing Database) {
    known.insert(part)
    broken[part] = database.complaint(about: sql)
  }

  /// The first part, by kind and name, that compiled before and does not compile now.
  func brokenSince(_ before: WorkingSchema) -> (name: String, words: String)? {
    broken.filter { before.known.contains($0.key) && before.broken[$0.key] == nil }
      .min { $0.key.precedes($1.key) }
      .map { ($0.key.shown, $0.value) }
  }
}
