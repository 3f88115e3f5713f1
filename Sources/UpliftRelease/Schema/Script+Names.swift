internal import Uplift
internal import UpliftSQLite

/// The names in the text of a script; comments and strings do not count.
extension Script {
  /// True if one of the names is this one; false for a step in Swift, which has no text.
  func uses(_ name: Name) -> Bool {
    if case .code = migration.body { return false }
    return mayMention(name) && words.contains(name.folded)
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

  private var words: SQLWords { withText { SQLWords(Array($0)) } }
}
