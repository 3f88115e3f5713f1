internal import UpliftSQLite

/// The clauses of a table's constraints that no pragma tells, each with its constraint.
///
/// It reads the words outside of parentheses. SQLite does not accept as a name any keyword that
/// begins a constraint, so such a keyword can mean nothing else there.
struct ConstraintClauses {
  /// A primary key or a `UNIQUE` constraint with `ON CONFLICT`.
  struct Key {
    /// The columns of a `UNIQUE` constraint; nil for the primary key.
    let columns: [KeyColumn]?
    let conflict: String
  }

  /// A column in a `UNIQUE` constraint.
  struct KeyColumn: Hashable {
    let name: Name
    /// Nil for the collation of the column.
    let collation: Name?
  }

  private enum Constraint {
    case notNull
    case key([KeyColumn]?)
  }

  /// The `ON CONFLICT` action of each column's `NOT NULL`.
  private(set) var notNull: [Name: String] = [:]
  private(set) var keys: [Key] = []
  /// For each foreign key, in the order of the text: true if it is checked at the end of a
  /// transaction.
  private(set) var isDeferred: [Bool] = []

  /// Each item is the definition of a column, or constraints of the table, which need no comma
  /// between them.
  init(_ items: [(column: Name?, words: SQLWords)]) {
    for item in items { read(item.words, of: item.column) }
  }

  private mutating func read(_ item: SQLWords, of column: Name?) {
    let words = item.words
    var constraint: Constraint?
    var depth = 0
    for index in words.indices.dropFirst(column == nil ? 0 : 1) {
      if words[index].isKeyword("(") { depth += 1 }
      if words[index].isKeyword(")") { depth -= 1 }
      guard depth == 0, !words[index].isQuoted else { continue }
      let rest = words[index...].dropFirst()
      let isNegated = words[..<index].last?.isKeyword("not") == true
      switch String(decoding: words[index].text, as: UTF8.self) {
      case "null":
        constraint = isNegated ? .notNull : nil
        if let column, isNegated { notNull[column] = nil }
      case "primary": constraint = .key(nil)
      case "unique":
        let list = SQLWords(words: rest.first?.isKeyword("(") == true ? Array(rest) : [])
        let own = column.map { [KeyColumn(name: $0, collation: nil)] } ?? []
        constraint = .key(list.items.isEmpty ? own : list.items.map(Self.keyColumn))
      case "check": constraint = nil
      case "on" where rest.first?.isKeyword("conflict") == true:
        note(rest.dropFirst().first, of: constraint, column)
      case "references": isDeferred.append(false)
      // SQLite applies it to the latest foreign key of the table.
      case "deferrable" where !isDeferred.isEmpty:
        isDeferred[isDeferred.count - 1] =
          !isNegated && SQLWords(words: Array(rest.prefix(2))).count(of: "initially deferred") == 1
      default: continue
      }
    }
  }

  /// Notes what follows `ON CONFLICT`.
  ///
  /// `ABORT` is what happens without the clause. The clause does nothing after `CHECK` and `NULL`.
  private mutating func note(
    _ word: SQLWords.Word?, of constraint: Constraint?, _ column: Name?
  ) {
    guard let word, !word.isKeyword("abort") else { return }
    let conflict = String(decoding: word.text, as: UTF8.self).uppercased()
    switch constraint {
    case .notNull: if let column { notNull[column] = conflict }
    case .key(let columns): keys.append(Key(columns: columns, conflict: conflict))
    case nil: return
    }
  }

  private static func keyColumn(_ words: SQLWords) -> KeyColumn {
    let all = words.words
    let collation = all.lastIndex { $0.isKeyword("collate") }.map { all[$0...].dropFirst() }
    return KeyColumn(
      name: all.first { !$0.isKeyword("(") }?.name ?? Name(""),
      collation: collation?.first.map(\.name))
  }
}
