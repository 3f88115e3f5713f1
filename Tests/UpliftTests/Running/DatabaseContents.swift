import Uplift
import UpliftSQLite

/// The contents of a database, with the tables in which full-text search keeps its index.
struct DatabaseContents: Equatable {
  /// The rows of each table, of the schema and of each search, by name.
  private(set) var rows: [String: [[Upgrader.Database.Value]]] = [:]

  init(of path: String) throws {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let connection = try Connection(path: path, access: .readWrite, deadline: deadline)
    let schema = try Self.ask("SELECT type, name, tbl_name, sql FROM sqlite_schema", connection)
    rows["the schema"] = schema
    rows["the version"] = try Self.ask("PRAGMA user_version", connection)
    rows["the check"] = try Self.ask("PRAGMA integrity_check", connection)
    for entry in schema where entry[0] == .text("table") {
      guard case .text(let name) = entry[1], case .text(let sql) = entry[3] else { continue }
      if sql.hasPrefix("CREATE VIRTUAL TABLE") {
        search(name, sql, connection)
      } else {
        rows[name] = try Self.ask(
          "SELECT * FROM \"\(name.replacing("\"", with: "\"\""))\"", connection)
      }
    }
  }

  /// The difference in words; nil if there is none.
  func difference(from other: DatabaseContents) -> String? {
    for name in Set(rows.keys).union(other.rows.keys).sorted() where rows[name] != other.rows[name]
    {
      return "\(name): \(rows[name] ?? [])\nand: \(other.rows[name] ?? [])"
    }
    return nil
  }

  /// Searches an index, and has SQLite check it; an error becomes part of the contents.
  private mutating func search(_ name: String, _ sql: String, _ connection: borrowing Connection) {
    var questions = ["SELECT count(*) FROM \(name)"]
    if sql.contains("fts3") || sql.contains("fts4") || sql.contains("fts5(") {
      for word in ["some", "word1", "trigger"] {
        questions.append("SELECT rowid FROM \(name) WHERE \(name) MATCH '\(word)'")
      }
      questions.append("INSERT INTO \(name)(\(name)) VALUES('integrity-check')")
    } else if sql.contains("rtree") {
      questions.append("SELECT rtreecheck('\(name)')")
    }
    for question in questions {
      do {
        rows[question] = try Self.ask(question, connection)
      } catch {
        rows[question] = [[.text("\(error)")]]
      }
    }
  }

  private static func ask(
    _ sql: String, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [[Upgrader.Database.Value]] {
    let statement = try connection.prepare(sql)
    var rows: [[Upgrader.Database.Value]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.value($0) })
    }
    return rows
  }
}
