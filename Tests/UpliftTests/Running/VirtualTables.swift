/// Virtual tables of a random sequence of scripts, and the statements that can be run on them.
struct VirtualTables {
  private enum Kind: CaseIterable {
    case fts3, fts4, fts5, fts4OverLog, fts5OverLog, contentless, rtree, rtreeInteger, vocabulary

    var module: String {
      switch self {
      case .fts3: "fts3(a, b)"
      case .fts4: "fts4(a, b, prefix='2')"
      case .fts5: "fts5(a, b)"
      case .fts4OverLog: "fts4(a, b, content='log')"
      case .fts5OverLog: "fts5(a, b, content='log', content_rowid='rowid')"
      case .contentless: "fts5(a, b, content='')"
      case .rtree: "rtree(id, x0, x1, +note)"
      case .rtreeInteger: "rtree_i32(id, x0, x1)"
      case .vocabulary: "fts5vocab(words, row)"
      }
    }

    var isText: Bool { ![.rtree, .rtreeInteger, .vocabulary].contains(self) }
    /// It stores its rows itself, so that they can be changed.
    var isWhole: Bool { [.fts3, .fts4, .fts5].contains(self) }
  }

  private struct Table {
    var name: String
    var kind: Kind
    /// A trigger writes it, so it is not renamed.
    var isUsed = false
  }

  private var tables: [Table] = []
  private var made = 0

  /// The virtual tables before the first script.
  static let start = """
    CREATE VIRTUAL TABLE words USING fts5(a, b);
    CREATE VIRTUAL TABLE terms USING fts4(a, b);
    CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
    INSERT INTO words VALUES('some words', 'are here');
    INSERT INTO terms VALUES('some words', 'are here');
    INSERT INTO boxes VALUES(1, 2, 3);
    CREATE TRIGGER old_words AFTER UPDATE ON old_child BEGIN
      INSERT INTO words VALUES(new.a, 'by trigger');
      INSERT INTO terms VALUES(new.a, 'by trigger');
      INSERT OR REPLACE INTO boxes VALUES(new.id, length(new.a), 1000);
    END;

    """

  mutating func statement(_ dice: inout Dice) -> String {
    switch dice.number(0...11) {
    case 0, 1: create(&dice)
    case 2: again(&dice)
    case 3: drop(&dice)
    case 4: rename(&dice)
    case 5: trigger(&dice)
    case 6, 7: tend(&dice)
    case 8: old(&dice)
    case 9: look(&dice)
    default: write(&dice)
    }
  }

  private mutating func name() -> String {
    made += 1
    return "w\(made)"
  }

  private mutating func create(_ dice: inout Dice) -> String {
    let table = Table(name: name(), kind: dice.pick(Kind.allCases))
    tables.append(table)
    let create = "CREATE VIRTUAL TABLE \(table.name) USING \(table.kind.module);"
    return dice.once(in: 2) ? create : create + "\n" + insert(into: table, &dice)
  }

  private func insert(into table: Table, _ dice: inout Dice) -> String {
    let count = dice.once(in: 2) ? 1 : 3
    let rows = (0..<count).map { _ in
      let number = dice.number(1...9000)
      switch table.kind {
      case .rtree: return "(NULL, \(number), \(number + 5), 'note \(number)')"
      case .rtreeInteger: return "(NULL, \(number), \(number + 5))"
      default: return "('word\(number % 7) some', 'other\(number % 5)')"
      }
    }
    let values = rows.joined(separator: ", ")
    switch table.kind {
    case .vocabulary: return "SELECT * FROM \(table.name);"
    case .rtree, .rtreeInteger: return "INSERT INTO \(table.name) VALUES\(values);"
    case .contentless, .fts4OverLog, .fts5OverLog:
      let id = table.kind == .fts4OverLog ? "docid" : "rowid"
      let first = dice.number(1...1_000_000_000)
      return "INSERT INTO \(table.name)(\(id), a, b) VALUES(\(first), 'word1', 'other2');"
    default: return "INSERT INTO \(table.name)(a, b) VALUES\(values);"
    }
  }

  private func write(_ dice: inout Dice) -> String {
    guard !tables.isEmpty else { return Self.oldWrites[0] }
    let table = dice.pick(tables)
    switch dice.number(0...4) {
    case 0 where table.kind.isWhole:
      return "UPDATE \(table.name) SET a = a || ' more' WHERE rowid % 2;"
    case 1 where table.kind.isWhole: return "DELETE FROM \(table.name) WHERE rowid % 3 = 1;"
    case 2 where table.kind == .rtree: return "DELETE FROM \(table.name) WHERE id % 2;"
    default: return insert(into: table, &dice)
    }
  }

  /// Drops a table and makes it again under its name, perhaps with another module.
  private mutating func again(_ dice: inout Dice) -> String {
    let free = tables.indices.filter { !tables[$0].isUsed }
    guard !free.isEmpty else { return create(&dice) }
    let index = dice.pick(free)
    if dice.once(in: 2) { tables[index].kind = dice.pick(Kind.allCases) }
    let table = tables[index]
    return """
      DROP TABLE \(table.name);
      CREATE VIRTUAL TABLE \(table.name) USING \(table.kind.module);
      \(insert(into: table, &dice))
      """
  }

  private mutating func drop(_ dice: inout Dice) -> String {
    let free = tables.indices.filter { !tables[$0].isUsed }
    guard !free.isEmpty else { return create(&dice) }
    let table = tables.remove(at: dice.pick(free))
    let write = dice.once(in: 2) ? insert(into: table, &dice) + "\n" : ""
    return write + "DROP TABLE \(table.name);"
  }

  private mutating func rename(_ dice: inout Dice) -> String {
    let free = tables.indices.filter { !tables[$0].isUsed }
    guard !free.isEmpty else { return create(&dice) }
    let index = dice.pick(free)
    let old = tables[index]
    let before = dice.once(in: 2) ? insert(into: old, &dice) + "\n" : ""
    tables[index].name = name()
    let after = dice.once(in: 2) ? "\n" + insert(into: tables[index], &dice) : ""
    return before + "ALTER TABLE \(old.name) RENAME TO \(tables[index].name);" + after
  }

  private mutating func trigger(_ dice: inout Dice) -> String {
    let whole = tables.indices.filter { tables[$0].kind.isWhole }
    guard !whole.isEmpty else { return create(&dice) }
    let index = dice.pick(whole)
    tables[index].isUsed = true
    let table = tables[index].name
    return """
      CREATE TRIGGER \(name()) AFTER INSERT ON log BEGIN
        INSERT INTO \(table)(a, b) VALUES(new.a, new.b);
      END;
      """
  }

  private func tend(_ dice: inout Dice) -> String {
    let texts = tables.filter { $0.kind.isText }
    let table =
      texts.isEmpty || dice.once(in: 4)
      ? Table(name: dice.once(in: 2) ? "words" : "terms", kind: .fts4) : dice.pick(texts)
    let name = table.name
    let commands: [String] =
      switch table.kind {
      case .contentless: ["optimize"]
      case .fts3: ["optimize", "integrity-check", "rebuild"]
      case .fts4: ["optimize", "integrity-check", "rebuild"]
      case .fts4OverLog, .fts5OverLog: ["optimize", "rebuild"]
      default: ["optimize", "integrity-check", "rebuild"]
      }
    return "INSERT INTO \(name)(\(name)) VALUES('\(dice.pick(commands))');"
  }

  private static let oldWrites = [
    "INSERT INTO words VALUES('one word', 'or two');",
    "INSERT INTO terms VALUES('one word', 'or two'), ('and', 'more');",
    "DELETE FROM words WHERE words MATCH 'trigger';",
    "DELETE FROM terms WHERE docid % 2 = 0;",
    "UPDATE words SET b = 'updated' WHERE rowid = 1;",
    "INSERT INTO boxes SELECT NULL, 4, 5 FROM old_child;",
    "DELETE FROM boxes WHERE x0 > 3;",
    "INSERT INTO words(words, rank) VALUES('crisismerge', 2);",
    "INSERT INTO terms(terms) VALUES('merge=4,2');",
  ]

  private func old(_ dice: inout Dice) -> String { dice.pick(Self.oldWrites) }

  private func look(_ dice: inout Dice) -> String {
    let texts = tables.filter { $0.kind.isWhole }
    let name = texts.isEmpty ? dice.pick(["words", "terms"]) : dice.pick(texts).name
    return "INSERT INTO log SELECT 'found', count(*) FROM \(name) WHERE \(name) MATCH 'some';"
  }
}
