internal import Uplift
internal import UpliftSQLite

/// An index, a trigger or a view that is gone after a rebuild of its table.
struct LostObject: Hashable {
  enum Kind: String { case index, trigger, view }

  let kind: Kind
  let name: Name
  /// True if another object has its name now.
  let isMadeAgain: Bool

  init(_ kind: Kind, _ name: Name, isMadeAgain: Bool = false) {
    self.kind = kind
    self.name = name
    self.isMadeAgain = isMadeAgain
  }

  var shown: String { "the \(kind.rawValue) \(name.shown)" + (isMadeAgain ? " as it was" : "") }
}

extension ObservedTable {
  /// The indexes, triggers and options that this table had, and that it does not have afterwards.
  ///
  /// `dropped` are the objects that a statement of their own has dropped. `made` are the indexes that
  /// were made meanwhile.
  func losses(
    in after: ObservedTable, dropped: Set<Name>, made: Set<Name>, _ connection: borrowing Connection
  ) throws(SQLiteError) -> [Fact] {
    var facts: [Fact] = []
    let table = after.name.shown
    for (name, index) in indexes.sorted(by: { $0.key < $1.key })
    where !dropped.contains(name)
      && !after.indexes.values.contains(where: {
        // The table may have got another name before it was dropped.
        $0.words == index.words.renaming(self.name, to: after.name)
      })
      // A rename of its table or of a column changes the words of an index.
      && (after.indexes[name] == nil || made.contains(name))
      && index.columns.compactMap(\.name).allSatisfy(after.columns.contains)
    {
      if try connection.hasReplacement(for: index, on: after.name) { continue }
      let new = after.indexes[name]
      // Nobody can tell whether an expression does the work of another.
      if let new, new.isUnique || !index.isUnique,
        (index.columns + new.columns).contains(where: { $0.name == nil })
      {
        continue
      }
      facts.append(.lost(LostObject(.index, name, isMadeAgain: new != nil), table: table))
    }
    for (trigger, words) in triggers.sorted(by: { $0.key < $1.key })
    where !dropped.contains(trigger) && after.triggers[trigger] == nil {
      let words = words.renaming(name, to: after.name)
      if after.triggers.values.contains(words) { continue }
      facts.append(.lost(LostObject(.trigger, trigger), table: table))
    }
    for (option, now) in zip(options.all, after.options.all)
    where option.isOn && !now.isOn && (option.name != "AUTOINCREMENT" || after.canCount) {
      facts.append(.lostOption(option.name, table: table))
    }
    return facts
  }
}

extension SQLWords {
  /// The words with another name for a table.
  fileprivate func renaming(_ name: Name, to new: Name) -> SQLWords {
    SQLWords(
      words: words.map { word in
        word.text == name.folded ? Word(text: new.folded, isQuoted: true) : word
      })
  }
}
