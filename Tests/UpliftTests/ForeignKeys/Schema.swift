import UpliftSQLite

/// The tables of a database and their foreign keys, read with SQLite's pragmas.
struct Schema {
  struct Table {
    let name: String
    let columns: [String]
    let types: [String]
    let primaryKey: [String]
    let keys: [Key]
    let isWithoutRowID: Bool
    let isStrict: Bool

    /// The SQL that makes a table like this one, without its generated columns.
    func definition(as name: String) -> String {
      var parts = zip(columns, types).map { column, type in
        let isRowID = primaryKey == [column] && type.uppercased() == "INTEGER" && !isWithoutRowID
        return "\(column.quoted) \(type)" + (isRowID ? " PRIMARY KEY" : "")
      }
      if !primaryKey.isEmpty, !parts.contains(where: { $0.hasSuffix(" PRIMARY KEY") }) {
        parts.append("PRIMARY KEY (\(primaryKey.map(\.quoted).joined(separator: ", ")))")
      }
      for key in keys.reversed() where Set(key.from).isSubset(of: Set(columns)) {
        let to = key.to.map { "(\($0.map(\.quoted).joined(separator: ", ")))" } ?? ""
        parts.append(
          "FOREIGN KEY (\(key.from.map(\.quoted).joined(separator: ", ")))"
            + " REFERENCES \(key.parent.quoted)\(to)")
      }
      let options = (isWithoutRowID ? ["WITHOUT ROWID"] : []) + (isStrict ? ["STRICT"] : [])
      return "CREATE TABLE \(name.quoted) (\(parts.joined(separator: ", ")))"
        + options.joined(separator: ", ")
    }
  }

  struct Key: Equatable {
    var from: [String]
    let parent: String
    /// Nil if the foreign key leads to the parent's primary key.
    var to: [String]?
  }

  /// The tables, without those that virtual tables keep for themselves.
  let tables: [Table]
  /// The tables that virtual tables keep for themselves.
  let shadows: [Table]

  init(_ connection: borrowing Connection) throws {
    var tables: [Table] = []
    var shadows: [Table] = []
    let list = try connection.prepare(
      "SELECT name, wr, strict, type FROM pragma_table_list"
        + " WHERE schema = 'main' AND type IN ('table', 'shadow')"
        + " AND name NOT LIKE 'sqlite%' ORDER BY name")
    while try list.step() {
      let name = list.text(0) ?? ""
      var columns: [String] = []
      var types: [String] = []
      var primaryKey: [(Int64, String)] = []
      let info = try connection.prepare("PRAGMA main.table_xinfo(\(name.quoted))")
      while try info.step() {
        let column = info.text(1) ?? ""
        if info.integer(5) > 0 { primaryKey.append((info.integer(5), column)) }
        guard info.integer(6) == 0 else { continue }
        columns.append(column)
        types.append(info.text(2) ?? "")
      }
      var keys: [Key] = []
      let foreign = try connection.prepare("PRAGMA main.foreign_key_list(\(name.quoted))")
      while try foreign.step() {
        if foreign.integer(1) == 0 {
          keys.append(
            Key(from: [], parent: foreign.text(2) ?? "", to: foreign.text(4) == nil ? nil : []))
        }
        keys[keys.count - 1].from.append(foreign.text(3) ?? "")
        if let to = foreign.text(4) { keys[keys.count - 1].to?.append(to) }
      }
      let table = Table(
        name: name, columns: columns, types: types,
        primaryKey: primaryKey.sorted { $0.0 < $1.0 }.map(\.1), keys: keys,
        isWithoutRowID: list.integer(1) == 1, isStrict: list.integer(2) == 1)
      if list.text(3) == "table" { tables.append(table) } else { shadows.append(table) }
    }
    self.tables = tables
    self.shadows = shadows
  }

  func table(_ name: String) -> Table? {
    (tables + shadows).first { Name($0.name) == Name(name) }
  }
}
