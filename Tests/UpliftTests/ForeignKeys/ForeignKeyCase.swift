import TestSupport
import Uplift
import UpliftSQLite

/// A random database and some random scripts, with the violations before them and after each.
///
/// Each statement is tried on a database in memory, and only used if it works. SQLite's own answers
/// about that database tell what the scripts did.
struct ForeignKeyCase {
  private(set) var start: [String] = []
  private(set) var scripts: [String] = []
  /// Those before the first script, and after each.
  private(set) var violations: [Violations] = []

  private var random: RandomStatements
  /// The schema now; nil if a statement may have changed it since it was read.
  private var known: Schema?

  /// True if text in double quotes may be a string.
  var doubleQuotedStrings: Bool { random.doubleQuotedStrings }

  init(seed: UInt64) throws {
    var dice = Dice(seed)
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: ":memory:", access: .memory, deadline: deadline)
    let doubleQuotedStrings = dice.once(in: 4)
    random = RandomStatements(dice: dice, doubleQuotedStrings: doubleQuotedStrings)
    try connection.pinSettings(doubleQuotedStrings: doubleQuotedStrings)
    try makeDatabase(connection)
    // Half of the databases begin without orphans.
    if random.dice.once(in: 2) { try removeOrphans(connection) }
    violations = [try Violations(connection)]
    for _ in 0..<random.dice.number(1...4) { try makeScript(connection) }
  }

  private mutating func makeDatabase(_ connection: borrowing Connection) throws {
    if random.dice.once(in: 4) {
      start.append("PRAGMA auto_vacuum=\(random.dice.number(1...2))")
    }
    if random.dice.once(in: 3) {
      let fullText = FullTextTable(&random.dice)
      random.fullText = fullText
      try begin(fullText.definition, connection)
      for _ in 0..<3 { try begin(fullText.insert(&random.dice), connection) }
    }
    for _ in 0..<random.dice.number(2...4) {
      try begin(random.create(tables(connection)), connection)
    }
    for _ in 0..<random.dice.number(3...12) {
      try begin(random.insert(tables(connection)), connection)
    }
    if random.dice.once(in: 3) { try begin(random.index(tables(connection)), connection) }
    if random.dice.once(in: 4) { try begin(random.trigger(tables(connection)), connection) }
  }

  /// Makes a script of statements that work.
  private mutating func makeScript(_ connection: borrowing Connection) throws {
    var script = ""
    for _ in 0..<random.dice.number(1...6) {
      for statement in random.statements(in: try tables(connection)) {
        guard try works(statement, connection) else { break }
        script += statement + ";\n"
      }
    }
    if script.isEmpty { return }
    // No script leaves settings to the next one.
    try connection.run("PRAGMA legacy_alter_table=OFF")
    scripts.append(script)
    violations.append(try Violations(connection))
  }

  /// Removes all orphans, by setting a column of each foreign key to NULL.
  private mutating func removeOrphans(_ connection: borrowing Connection) throws {
    for table in try schema(connection).tables {
      for key in table.keys {
        let condition = key.from.map { "\($0.quoted) IS NOT NULL" }.joined(separator: " AND ")
        try begin(
          "UPDATE \(table.name.quoted) SET \(key.from[0].quoted) = NULL WHERE \(condition)",
          connection)
      }
    }
  }

  /// Tries a statement; true if it works.
  private mutating func works(_ sql: String, _ connection: borrowing Connection) throws -> Bool {
    guard !sql.isEmpty else { return false }
    try connection.run("SAVEPOINT try")
    do {
      try connection.run(sql)
    } catch {
      try connection.run("ROLLBACK TO try")
      try connection.run("RELEASE try")
      return false
    }
    try connection.run("RELEASE try")
    let isOfRows = ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains { sql.hasPrefix($0) }
    if !isOfRows { known = nil }
    return true
  }

  private mutating func schema(_ connection: borrowing Connection) throws -> Schema {
    if let known { return known }
    let schema = try Schema(connection)
    known = schema
    return schema
  }

  private mutating func tables(_ connection: borrowing Connection) throws -> [Schema.Table] {
    try schema(connection).tables
  }

  private mutating func begin(_ sql: String, _ connection: borrowing Connection) throws {
    if try works(sql, connection) { start.append(sql) }
  }
}

extension String {
  var quoted: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
