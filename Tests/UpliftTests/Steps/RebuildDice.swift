import CUpliftSQLite
import Foundation

/// A database of random tables with odd names and values, made by SQL that need not be UTF-8.
struct RebuildDice {
  struct Table {
    let name: String
    /// Everything after the name in `CREATE TABLE`.
    let definition: String
    let columns: [String]
    /// A name of the row identifier that no column has; nil if the table has no row identifiers.
    let rowID: String?
  }

  private(set) var tables: [Table] = []
  /// One statement for each row.
  ///
  /// SQLite refuses those that break a constraint.
  private(set) var statements: [Data] = []
  private let encoding: String
  private var dice: Dice

  private static let names = [
    "t", "T able", "a\"b", "a'b", "é", "É", "e\u{301}", "k", "\u{212a}", "select", "line\nend",
    "uplift_new_t", "uplift_new_é", "ß", "SS", "ς", "σ", "[x]", "`", "1", "a;--", "\u{301}", "x/*",
    "rowid", "_ROWID_", "Oid", "id", "a", "B", "c d", "\u{feff}z", "ﬁ", "$p", "?1",
  ]

  init(_ seed: UInt64, tables count: Int) {
    dice = Dice(seed)
    encoding = dice.pick(["UTF-8", "UTF-8", "UTF-16le"])
    var free = Self.names
    for _ in 0..<count { addTable(Self.draw(&free, &dice)) }
    addUnnamed()
    statements.append("CREATE VIEW broken AS SELECT x FROM nowhere".latin1)
  }

  private static func draw(_ free: inout [String], _ dice: inout Dice) -> String {
    let name = dice.pick(free)
    // For SQLite, A to Z equal a to z.
    free.removeAll { $0.utf8.map(fold) == name.utf8.map(fold) }
    return name
  }

  private static func fold(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  static func quoted(_ name: String) -> String {
    "\"" + String(decoding: name.utf8.flatMap { $0 == 34 ? [34, 34] : [$0] }, as: UTF8.self) + "\""
  }

  private mutating func addTable(_ name: String) {
    var free = Self.names
    let columns = (0..<dice.number(1...5)).map { _ in Self.draw(&free, &dice) }
    let key = dice.number(0...4)
    var parts: [String] = []
    for (index, column) in columns.enumerated() {
      let type = dice.pick(["", "TEXT", "REAL", "INTEGER", "BLOB", "NUMERIC", "VARCHAR(9)"])
      var part = "\(Self.quoted(column)) \(type)"
      if index == 0 {
        let first = [1: "INTEGER PRIMARY KEY", 2: "INTEGER PRIMARY KEY AUTOINCREMENT"][key]
        part = "\(Self.quoted(column)) \(first ?? type)"
      } else if dice.once(in: 4) {
        let sum = "(\(Self.quoted(columns[0])) || 'é')"
        part += " AS \(sum) \(dice.pick(["STORED", "VIRTUAL"]))"
      } else {
        part += dice.pick(["", " UNIQUE", " COLLATE NOCASE", " DEFAULT 'é'", " DEFAULT (1 + 1)"])
      }
      parts.append(part)
    }
    // The first column is never generated; a key without row identifiers takes no NULL.
    if key >= 3 { parts.append("PRIMARY KEY (\(Self.quoted(columns[0])))") }
    let taken = columns.map { $0.utf8.map(Self.fold) }
    let table = Table(
      name: name,
      definition: "(\(parts.joined(separator: ", ")))\(key == 4 ? " WITHOUT ROWID" : "")",
      columns: columns,
      rowID: key == 4
        ? nil : ["rowid", "oid", "_rowid_"].first { !taken.contains(Array($0.utf8)) })
    tables.append(table)
    statements.append(Data("CREATE TABLE \(Self.quoted(name)) \(table.definition)".utf8))
    addRows(table, written: columns.indices.filter { !parts[$0].contains(" AS (") })
    addDependents(table)
  }

  private mutating func addRows(_ table: Table, written: [Int]) {
    let names = written.map { Self.quoted(table.columns[$0]) }
    for _ in 0..<dice.number(0...4) {
      var (columns, values) = (names, names.map { _ in value() })
      if let rowID = table.rowID, dice.once(in: 2) {
        columns.append(rowID)
        values.append("\(dice.number(-3...99))")
      }
      statements.append(
        Data(
          """
          INSERT INTO \(Self.quoted(table.name)) (\(columns.joined(separator: ", ")))
          VALUES (\(values.joined(separator: ", ")))
          """.utf8))
    }
    if dice.once(in: 3) {
      statements.append(Data("DELETE FROM \(Self.quoted(table.name)) WHERE random() % 2".utf8))
    }
  }

  private mutating func value() -> String {
    dice.pick([
      "NULL", "7", "-9223372036854775808", "9007199254740993", "0.1", "-0.0", "9e999", "1e300",
      "2.0",
      "'7'", "''", "'é'", "'e\u{301}'", "CAST(X'636166E9' AS TEXT)", "CAST(X'610062' AS TEXT)",
      "X''", "X'00FF27'", "'12e1'", "CAST(X'EDA080' AS TEXT)", "\(dice.number(1...99))",
    ])
  }

  /// Indexes and triggers, with literals and names in Latin-1 beside those in UTF-8.
  private mutating func addDependents(_ table: Table) {
    let number = tables.count
    let name = Data(Self.quoted(table.name).utf8)
    let column = Data(Self.quoted(dice.pick(table.columns)).utf8)
    let end = Data(dice.pick([" DESC", " COLLATE NOCASE", ""]).utf8)
    if dice.once(in: 2) {
      add(
        "CREATE INDEX \"i\(number) \u{e9}\" ON ".latin1, name, "(".latin1, column, end,
        ") WHERE ".latin1, column, " <> 'caf\u{e9}'".latin1)
    }
    if dice.once(in: 2) {
      add(
        "CREATE UNIQUE INDEX \"i\(number)\" ON ".latin1, name, "(lower(".latin1, column,
        " || '\u{e9}'), ".latin1, column, ")".latin1)
    }
    for event in ["INSERT", "UPDATE", "DELETE"] where dice.once(in: 2) {
      add(
        "CREATE TRIGGER \"\(event) \(number) \u{e9}\" AFTER \(event) ON ".latin1, name,
        " BEGIN INSERT INTO \"log \u{e9}\" VALUES ('\u{e9}', (SELECT max(".latin1, column,
        ") FROM ".latin1, name, ")); END".latin1)
    }
    if dice.once(in: 2) {
      add(
        "CREATE VIEW \"v\(number) \u{e9}\" AS SELECT ".latin1, column,
        " AS \"\u{e9}\" FROM ".latin1, name)
    }
  }

  private mutating func add(_ pieces: Data...) { statements.append(Data(pieces.joined())) }

  /// A table whose name is not UTF-8, which the triggers of the others write to.
  private mutating func addUnnamed() {
    statements.append("CREATE TABLE \"log \u{e9}\"(\"x\u{e9}\", y)".latin1)
    statements.append(
      "CREATE TRIGGER \"on log\" BEFORE DELETE ON \"log \u{e9}\" BEGIN SELECT old.\"x\u{e9}\"; END"
        .latin1)
  }
}

extension RebuildDice {
  /// Makes the database at version 1, and says what is in it.
  func make(at path: String) -> [Data] {
    Self.with(path) { handle in
      sqlite3_exec(
        handle, "PRAGMA encoding = '\(encoding)'; PRAGMA user_version = 1; BEGIN", nil, nil, nil)
      // The log comes first: triggers may fire as rows go in.
      for statement in statements.suffix(3) + statements.dropLast(3) {
        let text = statement.map { CChar(bitPattern: $0) } + [0]
        sqlite3_exec(handle, text, nil, nil, nil)
      }
      sqlite3_exec(handle, "COMMIT", nil, nil, nil)
      return contents(handle)
    }
  }

  func contents(of path: String) -> [Data] { Self.with(path) { contents($0) } }

  /// Every row of every table, each value as SQL writes it; and the schema, its text in hex.
  private func contents(_ handle: OpaquePointer) -> [Data] {
    var all = Self.rows(
      handle, "SELECT type, hex(name), hex(tbl_name), hex(sql) FROM sqlite_schema ORDER BY 1, 2, 3")
    // A rebuild that copies no rows makes an entry of 0, which means the same as no entry.
    all += Self.rows(handle, "SELECT * FROM sqlite_sequence WHERE seq <> 0 ORDER BY 1")
    for table in tables {
      let values = table.columns.map { "quote(\(Self.quoted($0))), typeof(\(Self.quoted($0)))" }
      all += Self.rows(
        handle,
        """
        SELECT \((values + [table.rowID ?? "0"]).joined(separator: ", "))
        FROM \(Self.quoted(table.name)) ORDER BY \(table.rowID ?? "1, 2, 3")
        """)
    }
    return all + Self.rows(handle, "PRAGMA integrity_check")
  }

  private static func rows(_ handle: OpaquePointer, _ sql: String) -> [Data] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      return [Data(String(cString: sqlite3_errmsg(handle)).utf8)]
    }
    var rows: [Data] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      var row = Data()
      for column in 0..<sqlite3_column_count(statement) {
        if let bytes = sqlite3_column_blob(statement, column) {
          row.append(
            bytes.assumingMemoryBound(to: UInt8.self),
            count: Int(sqlite3_column_bytes(statement, column)))
        }
        row.append(0x7c)
      }
      rows.append(row)
    }
    return rows
  }

  private static func with<Result>(_ path: String, _ body: (OpaquePointer) -> Result) -> Result {
    var handle: OpaquePointer?
    sqlite3_open(path, &handle)
    defer { sqlite3_close(handle) }
    guard let handle else { preconditionFailure("sqlite3_open has no memory") }
    return body(handle)
  }
}
