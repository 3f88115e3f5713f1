/// Writes the statements of a random case.
struct RandomStatements {
  var dice: Dice
  /// True if text in double quotes may be a string.
  let doubleQuotedStrings: Bool
  /// A virtual table, whose own tables may be parents; nil if there is none.
  var fullText: FullTextTable?

  private static let tables = [
    "a", "B", "ab", "t t", "ä", "Ä", "k", "\u{212a}", "x\"y", "Parent", "child",
  ]
  private static let columns = ["id", "ref", "Ref2", "ä", "Ä", "v", "w x"]

  mutating func statements(in tables: [Schema.Table]) -> [String] {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else {
      return [create(tables)]
    }
    let name = table.name
    if let fullText, dice.once(in: 3) { return [fullText.statement(&dice)] }
    switch dice.number(0...30) {
    case 0...4: return [insert(tables)]
    case 5...8: return [update(tables)]
    case 9...11:
      let some = " WHERE rowid % \(dice.number(2...3)) = 0"
      return ["DELETE FROM \(name.quoted)" + dice.pick(["", some, some])]
    case 12...13: return [create(tables)]
    case 14: return ["DROP TABLE \(name.quoted)"]
    case 15...17: return [rename(name, to: dice.pick(Self.tables))]
    case 18...20:
      let column = dice.pick(table.columns)
      let new = dice.pick(Self.columns)
      return ["ALTER TABLE \(name.quoted) RENAME COLUMN \(column.quoted) TO \(new.quoted)"]
    case 21:
      return ["ALTER TABLE \(name.quoted) ADD COLUMN \(dice.pick(Self.columns).quoted)"]
    case 22...23:
      let reference = self.reference(tables)
      let value = dice.pick(["", "", " DEFAULT 1", " DEFAULT 99"])
      let column = dice.pick(Self.columns).quoted
      return ["ALTER TABLE \(name.quoted) ADD COLUMN \(column)\(value) \(reference)"]
    case 24:
      return ["ALTER TABLE \(name.quoted) DROP COLUMN \(dice.pick(table.columns).quoted)"]
    case 25: return [trigger(tables)]
    case 26: return [index(tables)]
    case 27: return ["PRAGMA legacy_alter_table=\(dice.pick(["ON", "OFF"]))"]
    case 28:
      let other = dice.pick(tables).name
      return [rename(name, to: "tmp"), rename(other, to: name), rename("tmp", to: other)]
    default: return rebuild(table)
    }
  }

  private func rename(_ name: String, to new: String) -> String {
    "ALTER TABLE \(name.quoted) RENAME TO \(new.quoted)"
  }

  private func rebuild(_ table: Schema.Table) -> [String] {
    let columns = table.columns.map(\.quoted).joined(separator: ", ")
    let copy = { (from: String, to: String) in
      "INSERT INTO \(to.quoted) (\(columns)) SELECT \(columns) FROM \(from.quoted)"
    }
    var dice = dice
    if dice.once(in: 3) {
      return [
        rename(table.name, to: "old one"), table.definition(as: table.name),
        copy("old one", table.name), "DROP TABLE \"old one\"",
      ]
    }
    return [
      table.definition(as: "new one"), copy(table.name, "new one"),
      "DROP TABLE \(table.name.quoted)", rename("new one", to: table.name),
    ]
  }

  private mutating func reference(_ tables: [Schema.Table], columns count: Int = 1) -> String {
    if let fullText, count == 1, dice.once(in: 2) {
      return "REFERENCES " + fullText.parent(&dice)
    }
    let parents = tables.filter { $0.primaryKey.count == count }
    guard !dice.once(in: 6), let parent = parents.isEmpty ? nil : dice.pick(parents) else {
      return "REFERENCES \(dice.pick(Self.tables).quoted)"
        + (count == 1 ? dice.pick(["", "(id)"]) : "")
    }
    let action = dice.pick(["", "", " ON DELETE CASCADE"])
    if dice.once(in: 2) { return "REFERENCES \(parent.name.quoted)" + action }
    let key = parent.primaryKey.map(\.quoted).joined(separator: ", ")
    let other = dice.pick(parent.columns).quoted
    return "REFERENCES \(parent.name.quoted)(\(count == 1 && dice.once(in: 4) ? other : key))"
      + action
  }

  mutating func create(_ tables: [Schema.Table]) -> String {
    var names = Self.columns.shuffled(using: &dice).prefix(dice.number(2...4))
    var parts: [String] = []
    let isStrict = dice.once(in: 6)
    let isComposite = dice.once(in: 4)
    let key = names.removeFirst()
    if isComposite {
      let second = names.removeFirst()
      parts += [key.quoted, second.quoted + dice.pick([" INTEGER", " TEXT", ""])]
      if isStrict { parts = parts.map { $0.hasSuffix("\"") ? $0 + " ANY" : $0 } }
      parts += names.map { column($0, tables, isStrict: isStrict) }
      parts.append("PRIMARY KEY (\(key.quoted), \(second.quoted))")
    } else {
      parts.append(key.quoted + dice.pick(isStrict ? Self.strictKeys : Self.keys))
      parts += names.map { column($0, tables, isStrict: isStrict) }
    }
    if names.count >= 2, dice.once(in: 3) {
      let two = names.prefix(2).map(\.quoted).joined(separator: ", ")
      let reference = "FOREIGN KEY (\(two)) \(reference(tables, columns: 2))"
      parts += dice.once(in: 6) ? [reference, reference] : [reference]
    }
    if !isComposite, !isStrict, dice.once(in: 8) {
      parts.append(
        "gen AS (\(key.quoted)) \(dice.pick(["STORED", "VIRTUAL"])) \(reference(tables))")
    }
    var options = dice.once(in: 5) ? ["WITHOUT ROWID"] : []
    if isStrict { options.append("STRICT") }
    return "CREATE TABLE \(dice.pick(Self.tables).quoted) (\(parts.joined(separator: ", ")))"
      + options.joined(separator: ", ")
  }

  private static let keys = [
    " INTEGER PRIMARY KEY", " INTEGER PRIMARY KEY", " PRIMARY KEY", " TEXT PRIMARY KEY",
    " TEXT COLLATE NOCASE PRIMARY KEY", " REAL PRIMARY KEY", " UNIQUE ON CONFLICT REPLACE", "",
    " ANY PRIMARY KEY", " ANY UNIQUE",
  ]
  private static let strictKeys = [
    " INTEGER PRIMARY KEY", " ANY PRIMARY KEY", " ANY UNIQUE", " TEXT PRIMARY KEY", " ANY",
  ]

  /// A column; sometimes its reference is written twice.
  private mutating func column(
    _ name: String, _ tables: [Schema.Table], isStrict: Bool
  ) -> String {
    let plain = ["", "", " INTEGER", " TEXT", " REAL", " ANY"]
    let type = dice.pick(isStrict ? [" ANY", " ANY", " INTEGER", " TEXT"] : plain)
    if dice.once(in: 3) { return name.quoted + type }
    let reference = " " + reference(tables)
    return name.quoted + type + reference + (dice.once(in: 6) ? reference : "")
  }

  mutating func insert(_ tables: [Schema.Table]) -> String {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else { return "" }
    let rows = (0..<dice.number(1...3)).map { _ in
      "(" + table.columns.map { _ in value() }.joined(separator: ", ") + ")"
    }
    let names = table.columns.map(\.quoted).joined(separator: ", ")
    let verb = dice.pick(["INSERT", "INSERT OR IGNORE", "INSERT OR IGNORE", "REPLACE"])
    let upsert =
      verb == "INSERT" && dice.once(in: 2)
      ? " ON CONFLICT DO UPDATE SET \(dice.pick(table.columns).quoted) = \(value())" : ""
    return "\(verb) INTO \(table.name.quoted) (\(names)) VALUES "
      + rows.joined(separator: ", ") + upsert
  }

  mutating func update(_ tables: [Schema.Table]) -> String {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else { return "" }
    let column = dice.pick(table.columns).quoted
    let verb = dice.pick(["UPDATE", "UPDATE OR IGNORE", "UPDATE OR REPLACE"])
    let change = dice.pick([value(), "\(column) + 0", column, "\(column) + 1"])
    return "\(verb) \(table.name.quoted) SET \(column) = \(change)"
      + dice.pick(["", " WHERE \(dice.pick(table.columns).quoted) = \(value())"])
  }

  private mutating func value() -> String {
    if doubleQuotedStrings, dice.once(in: 10) { return "\"a string\"" }
    return dice.pick([
      "1", "1", "2", "2", "3", "1.0", "'1'", "'a'", "'A'", "NULL", "NULL", "99", "1.5",
    ])
  }

  mutating func index(_ tables: [Schema.Table]) -> String {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else { return "" }
    if dice.once(in: 3) { return "DROP INDEX IF EXISTS i\(dice.number(1...3))" }
    return "CREATE \(dice.pick(["", "UNIQUE "]))INDEX i\(dice.number(1...3)) "
      + "ON \(table.name.quoted)(\(dice.pick(table.columns).quoted))"
  }

  mutating func trigger(_ tables: [Schema.Table]) -> String {
    guard let table = tables.isEmpty ? nil : dice.pick(tables) else { return "" }
    if dice.once(in: 4) { return "DROP TRIGGER IF EXISTS g\(dice.number(1...2))" }
    let event = dice.pick(["INSERT", "DELETE", "UPDATE"])
    let body = dice.pick([
      insert(tables), update(tables),
      "DELETE FROM \(dice.pick(tables).name.quoted)",
    ])
    return "CREATE TRIGGER g\(dice.number(1...2)) AFTER \(event) ON \(table.name.quoted) "
      + "BEGIN \(body); END"
  }
}
