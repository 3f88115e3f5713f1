internal import Uplift
internal import UpliftSQLite

/// The words in the text of a script; comments and strings do not count.
extension Script {
  /// True if the text contains this name; false for a step in Swift, which has no text.
  func uses(_ name: Name) -> Bool {
    if case .code = migration.body { return false }
    return mayMention(name) && words.contains(name.folded)
  }

  /// True if it is certain that the script changes rows only.
  var changesRowsOnly: Bool {
    if readsSeed { return true }
    // The statements of a step in Swift are not known.
    if case .code = migration.body { return false }
    let words = words
    return !["create", "alter", "drop"].contains { words.contains($0) }
  }

  /// True if a statement may ask for a random number or for the time.
  var mayVary: Bool {
    // The statements of a step in Swift are not known.
    if case .code = migration.body { return true }
    // `UPDATE` mentions `date`.
    return SQLWords.varying.contains { mayMention($0) } && words.mayVary
  }

  /// The tables whose rows the statements insert, update or delete.
  ///
  /// A table that only a trigger changes is not among them.
  var tablesOfStatements: Set<Name> {
    let words = words.words
    var tables: Set<Name> = []
    for index in words.indices {
      let isDelete = index > 0 && words[index - 1].isKeyword("delete")
      let isUpdate = words[index].isKeyword("update")
      guard isUpdate || words[index].isKeyword("into") || isDelete && words[index].isKeyword("from")
      else { continue }
      var next = index + 1
      if isUpdate, next < words.count, words[next].isKeyword("or") { next += 2 }
      // The name of the schema, as in `main.word`.
      if next + 1 < words.count, words[next + 1].isKeyword(".") { next += 2 }
      // `DO UPDATE SET` after `ON CONFLICT`.
      guard next < words.count, !words[next].isKeyword("set") else { continue }
      tables.insert(words[next].name)
    }
    return tables
  }

  /// The columns that `ALTER TABLE` renames; nil for a step in Swift.
  var renamedColumns: [(before: Name, after: Name)]? {
    if case .code = migration.body { return nil }
    let words = words.words
    var columns: [(before: Name, after: Name)] = []
    for index in words.indices.dropFirst() where words[index].isKeyword("rename") {
      // `RENAME TO` renames the table. The word `COLUMN` may be left out.
      var next = index + 1
      if next + 2 < words.count, words[next].isKeyword("column"), !words[next + 1].isKeyword("to") {
        next += 1
      }
      guard next + 2 < words.count, words[next + 1].isKeyword("to") else { continue }
      columns.append((before: words[next].name, after: words[next + 2].name))
    }
    return columns
  }

  /// The tables and views of the seed that the text names, as in `seed.word`.
  var tablesOfSeed: Set<Name> {
    let words = words.words
    return Set(
      words.indices.dropFirst(2).filter {
        words[$0 - 1].isKeyword(".") && words[$0 - 2].name == Name("seed")
      }.map { words[$0].name })
  }

  private var words: SQLWords { withText { SQLWords(Array($0)) } }
}

extension SQLWords {
  /// True if one of the words asks for a random number or for the time.
  var mayVary: Bool { Self.varying.contains { contains(Array($0.utf8)) } }

  fileprivate static let varying = [
    "random", "randomblob", "date", "time", "datetime", "julianday", "strftime", "unixepoch",
    "current_date", "current_time", "current_timestamp",
  ]
}
