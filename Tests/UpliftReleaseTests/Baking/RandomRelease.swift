import Foundation
import TestSupport
import Uplift
import UpliftSQLite

/// A random history of scripts, with a seed or without, and a database that has lost its version.
///
/// Names come from small sets, so that a history often comes back to an earlier schema.
struct RandomRelease {
  /// The schemas of each version that a database may have, from each history.
  private(set) var schemas: [(version: Int, objects: Objects)] = []
  /// All schemas that the scripts make.
  private var made: [Objects] = []
  /// The words in the scripts that ship: an index with one of these names is no operator's.
  private let words: Set<Substring>
  private(set) var upgrader: Upgrader
  /// The version that the database had; nil if somebody has changed its schema.
  let truth: Int?
  let database: String
  private(set) var story: [String]
  /// The version of a seed whose schema is not that of the scripts; 0 if there is none.
  ///
  /// Older seeds may have had its schema, too.
  let otherSeed: Int

  /// The rows of the schema, in a form that does not depend on quotes and blanks.
  struct Objects: Hashable {
    struct Row: Hashable { let type, name, table, sql: String }
    var rows: Set<Row>

    init(_ connection: borrowing Connection) throws {
      rows = []
      let statement = try connection.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
      while try statement.step() {
        let texts = (0..<4).map { column in
          (statement.text(column) ?? "").lowercased().filter { !" \"'\n".contains($0) }
        }
        if texts[1].hasPrefix("sqlite_") { continue }
        rows.insert(Row(type: texts[0], name: texts[1], table: texts[2], sql: texts[3]))
      }
    }

    func names(_ type: String) -> Set<String> {
      Set(rows.filter { $0.type == type }.map(\.name))
    }
  }

  init(_ seed: UInt64, in scratch: Scratch) throws {
    var dice = AdoptDice(seed)
    let count = dice.number(2...6)
    // Only scripts; a seed and all scripts; a seed and the scripts above it.
    let kind = dice.number(0...2)
    let seeded = kind == 0 ? 0 : dice.number(kind == 1 ? 1...count : 0...count)
    let isFromSeed = kind == 2 || kind == 1 && dice.once(in: 2)
    let truth = dice.number(isFromSeed ? seeded...count : min(1, count)...count)
    let database = scratch("app.db")
    let (paths, seedFile) = ([scratch("empty.db"), scratch("seeded.db")], scratch("seed.db"))

    try Self.copy(nil, to: paths[0])
    let empty = try Self.open(paths[0])
    var steps: [Migration] = []
    var scripts: [String] = []
    var words: Set<Substring> = []
    if kind == 2, seeded == 0 {
      for _ in 0..<dice.number(0...4) { try empty.attempt(SQLDice.statement(empty, &dice)) }
    }
    var all: [(Int, Bool, Objects)] = []
    func note(_ version: Int, _ isSeeded: Bool, _ connection: borrowing Connection) throws {
      all.append((version, isSeeded, try Objects(connection)))
      guard version == truth, isSeeded == isFromSeed else { return }
      try Self.copy(paths[isSeeded ? 1 : 0], to: database)
    }
    func begin(_ dice: inout AdoptDice) throws {
      try Self.copy(paths[0], to: paths[1])
      let start = try Self.open(paths[1])
      if kind == 1, dice.once(in: 3) { try start.attempt(SQLDice.statement(start, &dice)) }
      try start.run("PRAGMA user_version = \(seeded)")
      try Self.copy(paths[1], to: seedFile)
      try note(seeded, true, start)
    }
    try note(0, false, empty)
    if kind != 0, seeded == 0 { try begin(&dice) }
    for version in 1...count {
      var script: [String] = []
      let hasTwin = kind != 0 && version > seeded
      for _ in 0..<dice.number(1...5) {
        let sql = try SQLDice.statement(empty, &dice)
        guard
          try empty.attempt(
            sql,
            during: {
              hasTwin ? try Self.open(paths[1]).attempt(sql) : true
            })
        else { continue }
        script.append(sql)
      }
      let text = script.isEmpty ? "SELECT 1;" : script.map { $0 + ";" }.joined(separator: "\n")
      if kind != 2 || version > seeded {
        steps.append(.sql(Version(integerLiteral: Int32(version)), "script \(version)", text))
        words.formUnion(text.lowercased().split { !$0.isLetter && !$0.isNumber })
      }
      scripts.append("\(version): \(text)")
      try note(version, false, empty)
      if hasTwin { try note(version, true, try Self.open(paths[1])) }
      if kind != 0, version == seeded { try begin(&dice) }
    }
    let atSeed = Set(all.filter { $0.0 == seeded }.map(\.2))
    otherSeed = kind == 1 && atSeed.count > 1 ? seeded : 0
    let runs = all.filter { kind == 0 ? !$0.1 : kind == 1 || $0.1 }
    made = runs.map(\.2)
    let first = kind != 0 && seeded > 0 ? 1 : 0
    schemas = runs.filter { $0.0 >= first }.map { ($0.0, $0.2) }
    upgrader = Upgrader(
      database: database, seed: kind == 0 ? nil : .file(seedFile), migrations: Migrations(steps))
    self.database = database
    self.words = words
    story =
      scripts + ["kind \(kind), seed at \(seeded), database from seed \(isFromSeed) at \(truth)"]
    self.truth = dice.once(in: 3) ? nil : truth
    try lose(&dice, scratch)
  }

  /// Takes the version from the database, and may change its schema.
  private mutating func lose(_ dice: inout AdoptDice, _ scratch: Scratch) throws {
    if truth == nil {
      let connection = try Self.open(database)
      for _ in 0..<dice.number(1...2) {
        let sql = try SQLDice.statement(connection, &dice)
        if try connection.attempt(sql) { story.append("changed: \(sql)") }
      }
    }
    if dice.once(in: 16) {
      let dump = try Shell.dump(database)
      try Self.copy(nil, to: database)
      try Shell.run(database, dump)
      story.append("dumped")
    }
    let connection = try Self.open(database)
    try connection.run("PRAGMA user_version = 0")
    if dice.once(in: 3), let (table, column) = try SQLDice.column(connection, &dice) {
      _ = try connection.attempt("CREATE INDEX own ON \(table)(\(column))")
      story.append("own index on \(table)")
    }
    if dice.once(in: 6) { try connection.run("CREATE TABLE _litestream_seq(id)") }
    if dice.once(in: 6) { try connection.run("ANALYZE") }
  }

  /// The schema of the database without what does not count.
  func found() throws -> Objects {
    var found = try Objects(try Self.open(database))
    let indexes = made.reduce(into: Set<String>()) { $0.formUnion($1.names("index")) }
    let tables = made.reduce(into: Set<String>()) { $0.formUnion($1.names("table")) }
    let others = found.rows.filter { row in
      row.type == "table" && !row.sql.hasPrefix("createvirtualtable") && !tables.contains(row.name)
        && !words.contains(row.name[...])
    }.map(\.name)
    found.rows = found.rows.filter { row in
      !others.contains(row.table)
        && !(row.type == "index" && tables.contains(row.table) && !indexes.contains(row.name)
          && !words.contains(row.name[...]))
    }
    return found
  }

  /// The versions that have the schema, in order.
  ///
  /// Nobody can recognise a version without tables.
  func fitting(withEmpty: Bool = false) throws -> [Version] {
    let found = try found()
    let schemas = schemas.filter { withEmpty || !$0.objects.rows.isEmpty }
    return Set(schemas.filter { $0.objects == found }.map(\.version)).sorted()
      .map { Version(integerLiteral: Int32($0)) }
  }

  /// Copies a database that no connection is writing; nil makes an empty file.
  private static func copy(_ old: String?, to new: String) throws {
    let bytes = old.flatMap { FileManager.default.contents(atPath: $0) } ?? Data()
    try bytes.write(to: URL(fileURLWithPath: new))
  }

  static func open(_ path: String) throws -> Connection {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: path, access: .readWrite, deadline: deadline)
    try connection.pinSettings(doubleQuotedStrings: false)
    try connection.run("PRAGMA synchronous=OFF")
    return connection
  }
}

/// Random statements about a small set of names.
enum SQLDice {
  static func statement(
    _ connection: borrowing Connection, _ dice: inout AdoptDice
  ) throws -> String {
    let table = "t\(dice.number(1...4))"
    let known = try column(connection, &dice)
    let (old, column) = known ?? (table, "a")
    switch dice.number(0...19) {
    case 0...3:
      let last = dice.pick(["", ", c TEXT COLLATE NOCASE", ", c REFERENCES t1(a)", ", UNIQUE (b)"])
      let check = dice.once(in: 3) ? " CHECK (b > \(dice.number(0...2)))" : ""
      return "CREATE TABLE \(table)(a INTEGER PRIMARY KEY, b INTEGER\(check)\(last))"
        + dice.pick(["", "", " WITHOUT ROWID", " STRICT"]).replacing(
          "STRICT", with: last.contains("c ") && !last.contains("TEXT") ? "" : "STRICT")
    case 4, 5:
      return "ALTER TABLE \(old) ADD COLUMN c\(dice.number(1...3)) TEXT"
        + dice.pick(["", " DEFAULT 1", " DEFAULT 'x'", " NOT NULL DEFAULT 2"])
    case 6: return "ALTER TABLE \(old) RENAME COLUMN \(column) TO c\(dice.number(1...3))"
    case 7: return "ALTER TABLE \(old) DROP COLUMN \(column)"
    case 8: return "ALTER TABLE \(old) RENAME TO \(table)"
    case 9: return "DROP TABLE \(old)"
    case 10...12:
      let unique = dice.once(in: 4) ? "UNIQUE " : ""
      return "CREATE \(unique)INDEX i\(dice.number(1...4)) ON \(old)(\(column)"
        + dice.pick(["", "", " DESC", " COLLATE NOCASE", " COLLATE BINARY"]) + ")"
        + (dice.once(in: 4) ? " WHERE \(column) IS NOT NULL" : "")
    case 13: return "DROP INDEX i\(dice.number(1...4))"
    case 14: return "CREATE VIEW v\(dice.number(1...2)) AS SELECT \(column) FROM \(old)"
    case 15: return "DROP VIEW v\(dice.number(1...2))"
    case 16:
      return "CREATE TRIGGER g\(dice.number(1...2)) AFTER INSERT ON \(old) "
        + "BEGIN SELECT \(dice.number(1...2)); END"
    case 17: return "DROP TRIGGER g\(dice.number(1...2))"
    case 18 where dice.once(in: 3): return "CREATE VIRTUAL TABLE f USING fts5(a)"
    default: return "INSERT INTO \(old)(\(column)) VALUES (\(dice.number(1...9)))"
    }
  }

  /// A column of a table; nil if there is no table.
  static func column(
    _ connection: borrowing Connection, _ dice: inout AdoptDice
  ) throws -> (table: String, column: String)? {
    let rows = try connection.prepare(
      "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
        + "WHERE m.type = 'table' AND m.name GLOB 't[0-9]'")
    var columns: [(String, String)] = []
    while try rows.step() { columns.append((rows.text(0) ?? "", rows.text(1) ?? "")) }
    return columns.isEmpty ? nil : dice.pick(columns)
  }
}

extension Connection {
  /// Runs a statement, and something else with it; false if one of them failed and nothing was
  /// done.
  @discardableResult
  borrowing func attempt(_ sql: String, during: () throws -> Bool = { true }) throws -> Bool {
    try run("SAVEPOINT attempt")
    do {
      try run(sql)
      if try during() {
        try run("RELEASE attempt")
        return true
      }
    } catch {}
    try run("ROLLBACK TO attempt")
    try run("RELEASE attempt")
    return false
  }
}

/// A generator of random choices; the same seed gives the same choices.
struct AdoptDice {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[number(0...choices.count - 1)]
  }

  mutating func once(in times: Int) -> Bool { number(1...times) == 1 }
}
