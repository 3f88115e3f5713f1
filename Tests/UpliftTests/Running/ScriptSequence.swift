/// Random scripts that build on one another, with or without one that fails.
///
/// Every statement is valid, given the statements before it. A statement that fails is added
/// last, at a random position of a random script.
struct ScriptSequence {
  private(set) var scripts: [String] = []
  /// The number of the script that fails, from 1.
  private(set) var failing: Int?

  private var dice: Dice
  private var tables: [Table] = []
  private var virtual = VirtualTables()
  private var made = 0

  private struct Table {
    var name: String
    var columns: [String]
    /// It has a column `id` for its row identifier.
    var hasID = true
    /// Its identifiers are never used twice.
    var isCounted = false
    /// Another table refers to it.
    var isParent = false
    /// The table that its column `up` refers to.
    var parent: String?
    /// A view or a trigger depends on it.
    var isUsed = false
  }

  /// The database before the first script.
  ///
  /// It has orphans.
  static let start = """
    CREATE TABLE old_parent(id INTEGER PRIMARY KEY, a);
    CREATE TABLE old_child(id INTEGER PRIMARY KEY, up REFERENCES old_parent ON DELETE CASCADE, a);
    CREATE TABLE log(a, b);
    INSERT INTO old_parent VALUES(1, 'x');
    INSERT INTO old_child VALUES(1, 1, ''), (2, 70, ''), (3, 70, ''), (4, 'none', '');

    """ + VirtualTables.start

  init(seed: UInt64, count: ClosedRange<Int> = 2...8) {
    dice = Dice(seed)
    for _ in 0..<dice.number(count) { scripts.append(script()) }
    if dice.once(in: 2) { plant() }
  }

  private mutating func name() -> String {
    made += 1
    return dice.pick(["t", "T", "täb le", "x\"\"y"]) + "\(made)"
  }

  private mutating func script() -> String {
    if dice.once(in: 12) {
      return "-- uplift: no-transaction\n"
        + dice.pick(["VACUUM;", "PRAGMA incremental_vacuum; VACUUM;", "-- nothing"])
    }
    let body = (0..<dice.number(1...6)).map { _ in statement() }.joined(separator: "\n")
    guard dice.once(in: 6) else { return body }
    let pair = dice.once(in: 3) ? "\nBEGIN IMMEDIATE;\n\(insert())\nEND;" : ""
    return "PRAGMA foreign_keys=OFF;\nBEGIN;\n\(body)\nCOMMIT;\(pair)"
  }

  private mutating func statement() -> String {
    switch dice.number(0...25) {
    case 0...3: return create()
    case 4...8: return insert()
    case 9: return update()
    case 10: return rebuild()
    case 11: return alter()
    case 12: return index()
    case 13: return view()
    case 14: return trigger()
    case 15...17: return virtual.statement(&dice)
    case 18: return temporary()
    case 19: return "INSERT INTO log SELECT 'at', user_version FROM pragma_user_version;"
    case 20: return "UPDATE old_child SET a = a || 'x' WHERE id = \(dice.number(1...4));"
    case 21: return "INSERT INTO old_child(up, a) VALUES(\(dice.pick(["NULL", "1"])), 'new');"
    case 22: return Self.rebuildOfOld
    case 23:
      return dice.pick(["REINDEX;", "PRAGMA legacy_alter_table=ON;", "SELECT * FROM log;;"])
    case 24: return dice.pick(["PRAGMA case_sensitive_like=ON;", "PRAGMA recursive_triggers=ON;"])
    default: return "INSERT INTO log SELECT 'like', 'a' LIKE 'A';"
    }
  }

  private static let rebuildOfOld = """
    CREATE TABLE new_old(id INTEGER PRIMARY KEY, up REFERENCES old_parent, a);
    INSERT INTO new_old SELECT id, up, a FROM old_child;
    DROP TABLE old_child;
    ALTER TABLE new_old RENAME TO old_child;
    """

  private mutating func create() -> String {
    var table = Table(name: name(), columns: ["a", "b"])
    let parents = tables.indices.filter { tables[$0].hasID }
    if !parents.isEmpty, dice.once(in: 2) {
      let parent = dice.pick(parents)
      tables[parent].isParent = true
      table.parent = tables[parent].name
    }
    table.hasID = !dice.once(in: 4)
    table.isCounted = table.hasID && dice.once(in: 4)
    tables.append(table)
    return definition(of: table, as: table.name)
  }

  private func definition(of table: Table, as name: String) -> String {
    let key = "id INTEGER PRIMARY KEY\(table.isCounted ? " AUTOINCREMENT" : "")"
    var parts = [table.hasID ? key : "id TEXT"]
    parts += table.columns.map { "\"\($0)\" DEFAULT 'd;'" }
    if let parent = table.parent { parts.append("up REFERENCES \"\(parent)\" ON DELETE CASCADE") }
    if !table.hasID { parts.append("PRIMARY KEY(id)") }
    return "CREATE TABLE \"\(name)\"(\(parts.joined(separator: ", ")))"
      + (table.hasID ? ";" : " WITHOUT ROWID;")
  }

  private mutating func insert() -> String {
    guard !tables.isEmpty else { return create() }
    let table = dice.pick(tables)
    made += 1
    let up = table.parent.map { "(SELECT max(id) FROM \"\($0)\")" }
    let columns = ["id"] + table.columns.map { "\"\($0)\"" } + (up == nil ? [] : ["up"])
    let values =
      ["\(made)"]
      + table.columns.map { _ in
        dice.pick(["1", "'it''s; -- x'", "NULL", "x'00ff'", "2.5", "'ä€𝄞'"])
      }
      + (up.map { [$0] } ?? [])
    let verb = dice.pick(["INSERT", "INSERT OR IGNORE", "INSERT OR FAIL", "INSERT OR ROLLBACK"])
    return "\(verb) INTO \"\(table.name)\"(\(columns.joined(separator: ", ")))"
      + " VALUES(\(values.joined(separator: ", ")));"
  }

  private mutating func update() -> String {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else { return create() }
    if !table.isParent, dice.once(in: 3) {
      return "DELETE FROM \"\(table.name)\" WHERE id % 3 = 0;"
    }
    return "UPDATE \"\(table.name)\" SET \"\(table.columns[0])\" = id || ';' WHERE id % 2;"
  }

  private mutating func rebuild() -> String {
    let free = tables.indices.filter { !tables[$0].isUsed }
    guard !free.isEmpty else { return create() }
    let index = dice.pick(free)
    let table = tables[index]
    return """
      \(definition(of: table, as: "new_\(table.name)"))
      INSERT INTO "new_\(table.name)" SELECT * FROM "\(table.name)";
      DROP TABLE "\(table.name)";
      ALTER TABLE "new_\(table.name)" RENAME TO "\(table.name)";
      """
  }

  private mutating func alter() -> String {
    guard !tables.isEmpty else { return create() }
    let index = dice.pick(tables.indices)
    let old = tables[index].name
    if tables[index].parent == nil, dice.once(in: 2) {
      made += 1
      tables[index].columns.append("c\(made)")
      return "ALTER TABLE \"\(old)\" ADD COLUMN \"c\(made)\" DEFAULT 'd;';"
    }
    if dice.once(in: 2) {
      made += 1
      let column = tables[index].columns[0]
      tables[index].columns[0] = "r\(made)"
      return "ALTER TABLE \"\(old)\" RENAME COLUMN \"\(column)\" TO \"r\(made)\";"
    }
    let new = name()
    tables[index].name = new
    for other in tables.indices where tables[other].parent == old { tables[other].parent = new }
    return "ALTER TABLE \"\(old)\" RENAME TO \"\(new)\";"
  }

  private mutating func index() -> String {
    guard !tables.isEmpty else { return create() }
    let table = dice.pick(tables)
    made += 1
    return "CREATE INDEX i\(made) ON \"\(table.name)\"(\"\(table.columns[0])\");"
  }

  private mutating func view() -> String {
    guard !tables.isEmpty else { return create() }
    let index = dice.pick(tables.indices)
    tables[index].isUsed = true
    made += 1
    return
      "CREATE VIEW v\(made) AS SELECT \"\(tables[index].columns[0])\" FROM \"\(tables[index].name)\";"
  }

  private mutating func trigger() -> String {
    guard !tables.isEmpty else { return create() }
    let index = dice.pick(tables.indices)
    tables[index].isUsed = true
    made += 1
    return """
      CREATE TRIGGER g\(made) AFTER INSERT ON "\(tables[index].name)" BEGIN
        INSERT INTO log VALUES('g\(made)', new.id);
        UPDATE log SET b = CASE WHEN b THEN b ELSE 0 END WHERE a = 'g\(made)';
      END;
      """
  }

  /// A temporary table.
  ///
  /// The log shows it if a later script still sees it.
  private mutating func temporary() -> String {
    made += 1
    let name = dice.pick(["TEMP TABLE IF NOT EXISTS ", "TABLE IF NOT EXISTS temp."]) + "scratch(n)"
    return """
      CREATE \(name);
      INSERT INTO scratch VALUES(\(made));
      INSERT INTO log SELECT 'temp', group_concat(n) FROM scratch;
      """
  }

  private mutating func plant() {
    let transactions = scripts.indices.filter { !scripts[$0].hasPrefix("--") }
    guard !transactions.isEmpty else { return }
    let number = dice.pick(transactions) + 1
    failing = number
    let orphan = "INSERT INTO old_child(up) VALUES(80);"
    let mistake = dice.pick([
      "SELECT nosuch;", "INSERT INTO nosuch VALUES(1);", "COMMIT;", "SAVEPOINT s;",
      "PRAGMA user_version=99;", "ATTACH 'x.db' AS x;", orphan, orphan,
      "INSERT INTO old_parent VALUES(1, 'again');",
      "INSERT OR FAIL INTO old_parent VALUES(90, ''), (1, 'again');",
      "INSERT OR ROLLBACK INTO old_parent VALUES(91, ''), (1, 'again');",
      "INSERT OR ROLLBACK INTO old_parent VALUES(92, ''), (1, 'again');",
      "SELECT abs(-9223372036854775808);", "CREATE TABLE log(a);", "DELETE FROM old_parent;",
      """
      CREATE TRIGGER rolls BEFORE INSERT ON old_parent BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
      INSERT INTO old_parent VALUES(93, '');
      """,
    ])
    let script = scripts[number - 1]
    // Before the script's own statements, or after them.
    let body = script.hasPrefix("PRAGMA foreign") ? nil : script
    if let body, dice.once(in: 2) {
      scripts[number - 1] = mistake + "\n" + body
    } else if script.hasSuffix("\nCOMMIT;") {
      scripts[number - 1] = script.dropLast(7) + mistake + "\nCOMMIT;"
    } else {
      scripts[number - 1] = script + "\n" + mistake
    }
  }
}
