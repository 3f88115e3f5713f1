internal import Uplift
internal import UpliftSQLite

/// The tokens of a piece of SQL, without what makes no difference: comments, blanks, the quotes around
/// names, and upper and lower case of `A` to `Z` outside of strings.
struct SQLWords: Hashable {
  struct Word: Hashable {
    let text: [UInt8]
    /// True for a name in quotes, which is never a keyword.
    let isQuoted: Bool

    static func == (left: Word, right: Word) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    var shown: String { String(decoding: text, as: UTF8.self) }

    func isKeyword(_ word: some StringProtocol) -> Bool {
      !isQuoted && text.elementsEqual(word.utf8)
    }

    /// The name that it means in a place where SQLite takes a string for a name.
    var name: Name {
      let isString = !isQuoted && text.first == UInt8(ascii: "'")
      return Name(isString ? text.dropFirst().dropLast() : text[...])
    }
  }

  private(set) var words: [Word] = []

  init(_ text: [UInt8]) { text.withUnsafeBufferPointer { read($0) } }

  init(words: [Word]) {
    self.words = words
  }

  private mutating func read(_ buffer: UnsafeBufferPointer<UInt8>) {
    var reader = TokenReader(buffer, from: 0)
    var end = 0
    // The quote of the latest token, if it is a string or a quoted name.
    var latest: UInt8?
    while let (token, range) = reader.nextIfReadable() {
      let before = range.lowerBound == end ? latest : nil
      end = range.upperBound
      latest = nil
      let quote = buffer[range.lowerBound]
      switch token {
      case .lineComment, .blockComment: continue
      case .quoted where quote == UInt8(ascii: "'"):
        add(Array(buffer[range]), joinsLast: before == quote)
        latest = quote
      case .quoted:
        // A doubled quote is read as an end and a new start. Brackets cannot be doubled.
        let isDoubled = before == quote && quote != UInt8(ascii: "[")
        let name = Self.folded(buffer[range].dropFirst().dropLast())
        add(isDoubled ? [quote] + name : name, isQuoted: true, joinsLast: isDoubled)
        latest = quote
      case .semicolon, .word, .other: add(Self.folded(buffer[range]))
      }
    }
  }

  /// Adds a token, or joins it to the one before.
  private mutating func add(_ text: [UInt8], isQuoted: Bool = false, joinsLast: Bool = false) {
    let last = joinsLast ? words.popLast() : nil
    words.append(Word(text: (last?.text ?? []) + text, isQuoted: isQuoted))
  }

  /// True if one of the tokens is this keyword, which is given in lower case.
  func contains(_ keyword: String) -> Bool { words.contains { $0.isKeyword(keyword) } }

  /// True if one of the tokens is this name.
  func contains(_ name: [UInt8]) -> Bool { words.contains { $0.text == name } }

  /// True if one of the words asks for a random number or for the time.
  var mayVary: Bool { words.contains { Self.varying.contains($0.shown) } }

  private static let varying: Set = [
    "random", "randomblob", "date", "time", "datetime", "julianday", "strftime", "unixepoch",
    "current_date", "current_time", "current_timestamp",
  ]

  /// The text for a message.
  var shown: String {
    var text = ""
    for word in words.map(\.shown) {
      let isTight = text.isEmpty || text.hasSuffix("(") || [")", ",", "("].contains(word)
      text += (isTight ? "" : " ") + word
    }
    return text
  }

  /// The same without the parentheses around the whole expression.
  var withoutParentheses: SQLWords {
    guard words.count > 2, end(ofGroupAt: 0) == words.count - 1 else { return self }
    return SQLWords(words: Array(words[1..<(words.count - 1)])).withoutParentheses
  }

  /// The expressions in parentheses after each occurrence of the keyword.
  func expressions(after keyword: String) -> [SQLWords] {
    words.indices.filter { words[$0].isKeyword(keyword) }.compactMap { index in
      end(ofGroupAt: index + 1).map { end in
        SQLWords(words: Array(words[(index + 1)...end])).withoutParentheses
      }
    }
  }

  /// The last word of the group that begins with a parenthesis; nil if none begins there.
  private func end(ofGroupAt start: Int) -> Int? {
    guard start < words.count, words[start].isKeyword("(") else { return nil }
    var depth = 0
    return words.indices[start...].first { index in
      if words[index].isKeyword("(") { depth += 1 }
      if words[index].isKeyword(")") { depth -= 1 }
      return depth == 0
    }
  }

  /// The pieces before, between and after the occurrences of a phrase of keywords.
  func split(at phrase: String) -> [SQLWords] {
    let keywords = phrase.split(separator: " ")
    var pieces = [SQLWords(words: [])]
    var rest = words[...]
    while let word = rest.first {
      let isPhrase =
        rest.count >= keywords.count && zip(rest, keywords).allSatisfy { $0.isKeyword($1) }
      if isPhrase {
        pieces.append(SQLWords(words: []))
      } else {
        pieces[pieces.count - 1].words.append(word)
      }
      rest = rest.dropFirst(isPhrase ? keywords.count : 1)
    }
    return pieces
  }

  /// The words after the columns of a table, and `AUTOINCREMENT`, in SQL.
  var tableOptions: [String] {
    let end = words.lastIndex { $0.isKeyword(")") } ?? 0
    let last = SQLWords(words: Array(words[end...]))
    let options = [
      ("STRICT", last.contains("strict")), ("WITHOUT ROWID", last.contains("without")),
      ("AUTOINCREMENT", contains("autoincrement")),
    ]
    return options.filter(\.1).map(\.0)
  }

  /// The names after `INTO`, `UPDATE` and `DELETE FROM`.
  var changedTables: Set<Name> {
    let pieces = ["into", "update", "delete from"].flatMap { split(at: $0).dropFirst() }
    let names = pieces.compactMap { piece -> Name? in
      var words = piece.words[...]
      // `UPDATE OR IGNORE`.
      if words.first?.isKeyword("or") == true { words = words.dropFirst(2) }
      // The name of the schema, as in `main.word`.
      if words.dropFirst().first?.isKeyword(".") == true { words = words.dropFirst(2) }
      // `DO UPDATE SET` after `ON CONFLICT`.
      return words.first.flatMap { $0.isKeyword("set") ? nil : $0.name }
    }
    return Set(names)
  }

  private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }
}

/// The words in the text of a script; comments and strings do not count.
///
/// A step in Swift has no text, so its statements are not known.
extension Script {
  /// True if the text contains this name.
  func uses(_ name: Name) -> Bool { mayMention(name) && words.contains(name.folded) }

  /// True if a statement may ask for a random number or for the time.
  var mayVary: Bool { isCode || words.mayVary }

  /// The tables whose rows the statements insert, update or delete.
  ///
  /// A table that only a trigger changes is not among them.
  var tablesOfStatements: Set<Name> { words.changedTables }

  /// The columns that `ALTER TABLE` renames: the new names by the old ones.
  var renamedColumns: [Name: Name] {
    var columns: [Name: Name] = [:]
    for piece in words.split(at: "rename").dropFirst() where piece.words.count > 2 {
      var words = piece.words[...]
      // `RENAME TO` renames the table. The word `COLUMN` may be left out.
      if words[0].isKeyword("column"), !words[1].isKeyword("to") { words = words.dropFirst() }
      let names = words.prefix(3).map(\.self)
      if names.count == 3, names[1].isKeyword("to") { columns[names[0].name] = names[2].name }
    }
    return columns
  }

  /// The tables and views of the seed that the text names, as in `seed.word`.
  var tablesOfSeed: Set<Name> {
    let words = words.words
    let names = words.indices.dropFirst(2).filter { index in
      words[index - 1].isKeyword(".") && words[index - 2].name == Name("seed")
    }
    return Set(names.map { words[$0].name })
  }

  private var isCode: Bool {
    if case .code = migration.body { true } else { false }
  }

  private var words: SQLWords { withText { SQLWords(Array($0)) } }
}
