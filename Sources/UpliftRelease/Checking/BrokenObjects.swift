internal import Uplift
internal import UpliftSQLite

/// The views, triggers and foreign keys that cannot work.
///
/// SQLite lets a script drop or rename what they use, and complains when somebody uses them.
struct BrokenObjects {
  /// Those that were broken before the first script.
  private let atStart: Set<Name>
  /// For each view or table that is broken, the script that broke it, or made it so.
  private var origins: [Name: Finding.Place] = [:]

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    atStart = Set(try connection.brokenObjects().keys)
  }

  /// Takes in what a script has broken, and what it has mended.
  mutating func didRun(
    _ script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let words = ["drop", "rename", "view", "trigger"]
    guard words.contains(where: { script.mayMention($0) }) else { return }
    let broken = try connection.brokenObjects()
    origins = origins.filter { broken[$0.key] != nil }
    for name in broken.keys where origins[name] == nil {
      origins[name] = Finding.Place(in: script, at: actions.offsetOfDrop(name))
    }
  }

  /// What is broken after the last script, each at its script, or at `start`.
  ///
  /// Leaves out what was broken before the first script, and what uses a function, a collation or a
  /// module that this connection does not have; perhaps the program has it.
  func atEnd(
    _ scripts: [Script], _ connection: borrowing Connection, start: Finding.Place
  ) throws(SQLiteError) -> [Finding] {
    let missing = [
      "no such function: ", "unknown function: ", "no such collation sequence: ",
      "no such module: ",
    ]
    var findings: [Finding] = []
    for (name, fault) in try connection.brokenObjects().sorted(by: { $0.key < $1.key })
    where !atStart.contains(name) && !missing.contains(where: fault.words.contains) {
      let place = origins[name] ?? start
      findings.append(
        Finding(
          .objectBroken, place, fault.words,
          fix: fault.isView ? "correct or drop the view" : "correct or drop the trigger"))
    }
    return try findings + danglingReferences(scripts, connection, start)
  }

  private func danglingReferences(
    _ scripts: [Script], _ connection: borrowing Connection, _ start: Finding.Place
  ) throws(SQLiteError) -> [Finding] {
    var findings: [Finding] = []
    for table in try connection.tables() {
      let parents = try connection.foreignKeys(of: table).map(\.parent)
      func add(_ words: String, of object: Name, fix: String) {
        let place = scripts.lastChanging(object) ?? start
        findings.append(
          Finding(.danglingReference, place, "\(table.shown): \(words)", fix: fix))
      }
      var isWhole = true
      for parent in Set(parents).sorted() where try !connection.hasTable(parent) {
        isWhole = false
        add(
          "it refers to \(parent.shown), which is not there", of: parent,
          fix: "make the table, or rebuild this one without the reference")
      }
      // SQLite says which parent has no such key.
      if isWhole, let words = connection.fault(of: "PRAGMA main.foreign_key_check(\(table))") {
        add(
          words, of: parents.first { words.hasSuffix("\"\($0.shown)\"") } ?? table,
          fix: "make a unique index on the columns of the parent, or refer to its primary key")
      }
    }
    return findings
  }
}

func list(_ names: [Name]) -> String { names.map(\.shown).joined(separator: ", ") }

extension [Script] {
  /// The last script that names an object and may have changed the schema.
  fileprivate func lastChanging(_ name: Name) -> Finding.Place? {
    last { $0.uses(name) && !$0.changesRowsOnly }.map { Finding.Place(in: $0) }
  }
}

extension Connection {
  /// The ordinary tables, without SQLite's own and those in which virtual tables keep their data.
  borrowing func tables() throws(SQLiteError) -> [Name] {
    let shadows = try shadowTables()
    let rows = try prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    var names: [Name] = []
    while try rows.step() {
      if let name = rows.name(0), !name.isInternal, !shadows.contains(name) { names.append(name) }
    }
    return names
  }

  /// The views that cannot be read, and the tables and views that cannot be changed because of a
  /// trigger, with SQLite's words.
  fileprivate borrowing func brokenObjects() throws(SQLiteError)
    -> [Name: (isView: Bool, words: String)]
  {
    let rows = try prepare(
      """
      SELECT name, type = 'view', EXISTS (SELECT 1 FROM main.sqlite_master AS trigger
        WHERE trigger.type = 'trigger' AND trigger.tbl_name = object.name COLLATE NOCASE)
      FROM main.sqlite_master AS object WHERE type IN ('table', 'view')
      """)
    var broken: [Name: (isView: Bool, words: String)] = [:]
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let (isView, hasTrigger) = (rows.integer(1) != 0, rows.integer(2) != 0)
      if isView, let words = fault(of: "SELECT * FROM main.\(name)") {
        broken[name] = (true, "the view \(name.shown) cannot be read: \(words)")
      } else if hasTrigger, let words = faultOfChanges(to: name, isView: isView) {
        broken[name] = (
          false, "the rows of \(name.shown) cannot be changed, because of a trigger: \(words)"
        )
      }
    }
    return broken
  }

  /// SQLite's words if a statement cannot be prepared.
  fileprivate borrowing func fault(of sql: SQL) -> String? {
    do throws(SQLiteError) {
      _ = try prepare(sql)
      return nil
    } catch {
      return error.message
    }
  }

  private borrowing func faultOfChanges(to table: Name, isView: Bool) -> String? {
    // All columns, because a trigger may be for one of them only.
    let columns = (try? columns(of: table).filter { !$0.isGenerated }.map(\.name)) ?? []
    let changes: [SQL] = [
      "DELETE FROM main.\(table)", "INSERT INTO main.\(table) DEFAULT VALUES",
      "UPDATE main.\(table) SET \(SQL.list(columns) { "\($0) = \($0)" })",
    ]
    for change in changes {
      // A view without a trigger for this change cannot be modified.
      if let words = fault(of: change), !(isView && words.hasPrefix("cannot modify ")) {
        return words
      }
    }
    return nil
  }
}
