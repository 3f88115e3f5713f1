import TestSupport
import Testing
import Uplift
import UpliftSQLite

/// The search for orphans finds what SQLite's own `PRAGMA foreign_key_check` finds.
struct OrphanTests {
  @Test(.tags(.S6, .promise10))
  func `finds the orphans that SQLite finds, whatever the keys are`() throws {
    var clean = 0
    var mismatches = 0
    for seed in Dice.seeds(250) {
      let script = Self.script(seed)
      let checked = try Trial(script)
      let plain = try Trial(script)

      let failure = checked.failure()
      try plain.upgrade { $0.foreignKeys = .none }
      var expected = try Self.check(plain.database)
      if expected == nil {
        mismatches += 1
        expected = try Self.compare(plain.database)
      }

      switch (failure, failure?.orphans, expected) {
      case (nil, _, let rows?):
        #expect(rows.isEmpty, "seed \(seed): \(script)")
        clean += 1
      case (_, let orphans?, let rows?):
        #expect(orphans.count == rows.count, "seed \(seed): \(script)")
        #expect(
          Set(rows).isSuperset(of: orphans.rows.map { $0.row ?? 0 }), "seed \(seed): \(script)")
      default: Issue.record("seed \(seed): \(failure as Any) \(expected as Any) \(script)")
      }
    }
    #expect(clean > 5 && mismatches > 5)
  }

  /// The orphans that SQLite's own check finds; nil if it says "foreign key mismatch".
  private static func check(_ database: String) throws -> [Int64]? {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: database, access: .readWrite, deadline: deadline)
    var rows: [Int64] = []
    do {
      let statement = try connection.prepare("PRAGMA foreign_key_check")
      while try statement.step() { rows.append(statement.integer(1)) }
    } catch {
      guard error.message.contains("mismatch") else { throw error }
      return nil
    }
    return rows
  }

  /// The rows without an equal row in the parent, whether or not the parent's columns are a key.
  private static func compare(_ database: String) throws -> [Int64] {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: database, access: .readWrite, deadline: deadline)
    let list = try connection.prepare(
      "SELECT \"from\", \"to\" FROM pragma_foreign_key_list('c') ORDER BY seq")
    var ends: [(from: String, to: String?)] = []
    while try list.step() { ends.append((list.text(0) ?? "", list.text(1))) }
    let notNull = ends.map { "\($0.from) IS NOT NULL" }.joined(separator: " AND ")
    let keys = try connection.prepare(
      "SELECT name FROM pragma_table_xinfo('p') WHERE pk > 0 ORDER BY pk")
    var primary: [String] = []
    while try keys.step() { primary.append(keys.text(0) ?? "") }
    let to = ends[0].to == nil ? primary : ends.map { $0.to ?? "" }
    let matches = zip(to, ends).map { "p.\"\($0)\" = +c.\($1.from)" }.joined(separator: " AND ")
    let hasEqual =
      to.count == ends.count ? "EXISTS (SELECT 1 FROM p WHERE \(matches))" : "0"
    let statement = try connection.prepare(
      "SELECT rowid FROM c WHERE \(notNull) AND NOT \(hasEqual)")
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.integer(0)) }
    return rows
  }

  private static let types = ["", " INTEGER", " INT", " TEXT", " REAL", " NUMERIC", " BLOB"]
  private static let collations = ["", "", "", " COLLATE NOCASE", " COLLATE RTRIM"]
  private static let values = [
    "1", "1", "'1'", "1.0", "'1.0'", "1.5", "'1.5'", "2", "'2 '", "' 2'", "'a'", "'a'", "'A'",
    "'a '",
    "x'61'", "x'31'", "NULL", "9007199254740993", "9007199254740992.0", "'0x1'", "1e0", "''",
    "-0.0",
  ]

  /// A parent `p` and a child `c`, with keys and values of every kind.
  private static func script(_ seed: UInt64) -> String {
    var dice = Dice(seed)
    let names = dice.pick([["a"], ["a"], ["a"], ["a", "b"], ["a", "b", "rowid"]])
    var columns = names.map {
      "\($0)\(dice.pick(types))\(dice.pick(collations))\(dice.pick(["", "", " NOT NULL"]))"
    }
    let kind = dice.number(0...9)
    if kind > 3, names.count == 2, dice.once(in: 8) { columns[1] = "b AS (a) STORED" }
    let key = names.shuffled(using: &dice).map { $0 + (dice.once(in: 8) ? " COLLATE NOCASE" : "") }
    var ends = ""
    var index = ""
    let unique = "(\(key.joined(separator: ", ")))"
    switch kind {
    case 0...2: columns.append("PRIMARY KEY \(unique)")
    case 3:
      columns.append("PRIMARY KEY \(unique)")
      ends = " WITHOUT ROWID"
    case 4...5: columns.append("UNIQUE \(unique)")
    case 6: index = "CREATE UNIQUE INDEX i ON p\(unique);"
    case 7: index = "CREATE UNIQUE INDEX i ON p\(unique) WHERE a > 1;"
    case 8: columns = names.map { $0 == "a" ? "a INTEGER PRIMARY KEY" : $0 }
    default: index = "CREATE INDEX i ON p\(unique);"
    }
    let from = names.indices.map { "c\($0)" }
    let kinds = from.map { "\($0)\(dice.pick(types))\(dice.pick(collations))" }
    let to = names.map { dice.once(in: 5) ? $0.uppercased() : $0 }.joined(separator: ", ")
    let reference = "REFERENCES P" + (dice.once(in: 3) ? "" : "(\(to))")
    var script = """
      CREATE TABLE c(\(kinds.joined(separator: ", ")),
        FOREIGN KEY(\(from.joined(separator: ", "))) \(reference));

      """
    for _ in 0..<dice.number(0...8) {
      let row = from.map { _ in dice.pick(values) }
      script += "INSERT INTO c VALUES(\(row.joined(separator: ", ")));\n"
    }
    if dice.once(in: 12) { return script }

    script += "CREATE TABLE p(\(columns.joined(separator: ", ")))\(ends);\(index)\n"
    let written = columns.count > 1 && columns[1].hasSuffix("STORED") ? ["a"] : names
    for _ in 0..<dice.number(0...8) {
      let row = written.map { name in
        // An INTEGER PRIMARY KEY only accepts integers.
        dice.pick(name == "a" && columns[0].hasPrefix("a INTEGER") ? ["1", "2"] : values)
      }
      script += """
        INSERT OR IGNORE INTO p(\(written.joined(separator: ", ")))
          VALUES(\(row.joined(separator: ", ")));

        """
    }
    return script
  }
}
