/// A full-text table of a random case: its module writes into tables of its own, which others may
/// refer to.
struct FullTextTable {
  let module: String
  private let name = "ft"

  init(_ dice: inout Dice) {
    module = dice.pick(["fts5", "fts4"])
  }

  var definition: String { "CREATE VIRTUAL TABLE \(name) USING \(module)(x)" }

  /// One of its own tables, with or without a column.
  func parent(_ dice: inout Dice) -> String {
    let key = module == "fts5" ? "id" : "docid"
    let table = name + dice.pick(["_content", "_content", "_content", "_docsize"])
    return table + (table.hasSuffix("_content") ? dice.pick(["", "(\(key))"]) : "")
  }

  func insert(_ dice: inout Dice) -> String {
    let verb = dice.pick(["INSERT", "INSERT", "REPLACE"])
    let row = dice.pick(["NULL", "1", "2", "3", "99"])
    return "\(verb) INTO \(name)(rowid, x) VALUES (\(row), 'some words')"
  }

  func statement(_ dice: inout Dice) -> String {
    let row = dice.number(1...3)
    return switch dice.number(0...11) {
    case 0...2: insert(&dice)
    case 3...7: "DELETE FROM \(name) WHERE rowid = \(row)"
    case 8: "DELETE FROM \(name)"
    case 9: "UPDATE \(name) SET rowid = \(dice.pick([4, 99])) WHERE rowid = \(row)"
    case 10: "UPDATE \(name) SET x = 'others' WHERE rowid = \(row)"
    default: dice.pick(["DROP TABLE \(name)", "ALTER TABLE \(name) RENAME TO \"other ft\""])
    }
  }
}
