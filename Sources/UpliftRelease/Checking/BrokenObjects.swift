internal import Uplift
internal import UpliftSQLite

/// The views, triggers and foreign keys that cannot work.
///
/// SQLite lets a script drop or rename what they use, and complains when somebody uses them.
struct BrokenObjects {
  fileprivate struct Fault {
    let words: String
    /// True for a foreign key, false for a view or a trigger.
    var isReference = false
  }

  /// The views and triggers that were broken before the first script.
  private let atStart: Set<Name>
  /// For each view or table that is broken, the script that broke it, or made it so.
  private var origins: [Name: Finding.Place] = [:]

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    atStart = Set(try connection.faults().filter { !$0.value.isReference }.keys)
  }

  /// Takes in what a script has broken, and what it has mended.
  mutating func didRun(
    _ script: Script, _ actions: ScriptActions, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let words = ["drop", "rename", "view", "trigger", "references"]
    guard words.contains(where: { script.mayMention($0) }) else { return }
    let broken = try connection.faults()
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
    _ connection: borrowing Connection, start: Finding.Place
  ) throws(SQLiteError) -> [Finding] {
    let missing = [
      "no such function: ", "unknown function: ", "no such collation sequence: ",
      "no such module: ",
    ]
    return try connection.faults().sorted { $0.key < $1.key }.filter { name, fault in
      !atStart.contains(name) && !missing.contains(where: fault.words.contains)
    }.map { name, fault in
      Finding(
        fault.isReference ? .danglingReference : .objectBroken, origins[name] ?? start, fault.words,
        fix: fault.isReference
          ? "make the table, or a unique index on the columns that it leads to"
          : "correct or drop the view or the trigger")
    }
  }
}

func list(_ names: [Name]) -> String { names.map(\.shown).joined(separator: ", ") }

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
  /// trigger or a foreign key, with SQLite's words.
  fileprivate borrowing func faults() throws(SQLiteError) -> [Name: BrokenObjects.Fault] {
    let rows = try prepare(
      """
      SELECT name, type = 'view', EXISTS (SELECT 1 FROM main.sqlite_master AS trigger
        WHERE trigger.type = 'trigger' AND trigger.tbl_name = object.name COLLATE NOCASE)
      FROM main.sqlite_master AS object WHERE type IN ('table', 'view')
      """)
    var faults: [Name: BrokenObjects.Fault] = [:]
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      let (isView, hasTrigger) = (rows.integer(1) != 0, rows.integer(2) != 0)
      if isView, let words = fault(of: "SELECT * FROM main.\(name)") {
        faults[name] = BrokenObjects.Fault(
          words: "the view \(name.shown) cannot be read: \(words)")
      } else if hasTrigger, let words = faultOfChanges(to: name, isView: isView) {
        faults[name] = BrokenObjects.Fault(
          words: "the rows of \(name.shown) cannot be changed, because of a trigger: \(words)")
      }
    }
    // With foreign keys, SQLite looks for what each row would refer to.
    try enforceForeignKeys(true)
    for table in try tables() where faults[table] == nil {
      guard let words = fault(of: "INSERT INTO main.\(table) DEFAULT VALUES") else { continue }
      faults[table] = BrokenObjects.Fault(
        words: "\(table.shown) has a reference that leads nowhere: \(words)", isReference: true)
    }
    try enforceForeignKeys(false)
    return faults
  }

  /// SQLite's words if a statement cannot be prepared.
  private borrowing func fault(of sql: SQL) -> String? {
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
