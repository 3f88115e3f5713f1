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

    func isKeyword(_ word: String) -> Bool { !isQuoted && text.elementsEqual(word.utf8) }

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

  /// True if one of the words asks for a random number or for the time.
  var mayVary: Bool { Self.varying.contains { contains(Array($0.utf8)) } }

  private static let varying = [
    "random", "randomblob", "date", "time", "datetime", "julianday", "strftime", "unixepoch",
    "current_date", "current_time", "current_timestamp",
  ]

  /// True if one of the tokens is this name.
  func contains(_ name: [UInt8]) -> Bool { words.contains { $0.text == name } }

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
    var words = words
    while words.count > 2, words.first?.isKeyword("(") == true, words.last?.isKeyword(")") == true,
      Self.end(ofGroupAt: 0, in: words) == words.count - 1
    {
      words = Array(words.dropFirst().dropLast())
    }
    return SQLWords(words: words)
  }

  /// The expressions in parentheses after each occurrence of the keyword.
  func expressions(after keyword: String) -> [SQLWords] {
    var found: [SQLWords] = []
    for index in words.indices.dropLast() where words[index].isKeyword(keyword) {
      guard words[index + 1].isKeyword("("), let end = Self.end(ofGroupAt: index + 1, in: words)
      else { continue }
      found.append(SQLWords(words: Array(words[(index + 1)...end])).withoutParentheses)
    }
    return found
  }

  /// The columns and constraints in the parentheses of a `CREATE TABLE`.
  var items: [SQLWords] {
    guard let open = words.firstIndex(where: { $0.isKeyword("(") }),
      let end = Self.end(ofGroupAt: open, in: words)
    else { return [] }
    var depth = 0
    let items = words[(open + 1)..<end].split(omittingEmptySubsequences: false) { word in
      if word.isKeyword("(") { depth += 1 }
      if word.isKeyword(")") { depth -= 1 }
      return depth == 0 && word.isKeyword(",")
    }
    return items.map { SQLWords(words: Array($0)) }
  }

  /// The word after each occurrence of a phrase of keywords.
  func followers(of phrase: String) -> [String] {
    let phrase = phrase.split(separator: " ").map(String.init)
    return words.indices.dropLast(phrase.count).filter { isAt($0, phrase) }
      .map { words[$0 + phrase.count].shown }
  }

  /// The words after each occurrence of a keyword, up to the next one.
  func parts(after keyword: String) -> [SQLWords] {
    words.split(omittingEmptySubsequences: false) { $0.isKeyword(keyword) }.dropFirst()
      .map { SQLWords(words: Array($0)) }
  }

  /// The names after `INTO`, `UPDATE` and `DELETE FROM`.
  var changedTables: Set<Name> {
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

  /// The words without a phrase of keywords.
  func without(_ phrase: String) -> SQLWords {
    let phrase = phrase.split(separator: " ").map(String.init)
    var rest = words
    for index in words.indices.reversed() where isAt(index, phrase) {
      rest.removeSubrange(index..<(index + phrase.count))
    }
    return SQLWords(words: rest)
  }

  /// The words of an index without the collations of its columns.
  var withoutCollations: SQLWords {
    var rest: [Word] = []
    var depth = 0
    var isSkipped = false
    let end = words.firstIndex { $0.isKeyword("where") } ?? words.count
    for word in words[..<end] {
      if word.isKeyword("(") { depth += 1 }
      if word.isKeyword(")") { depth -= 1 }
      let isCollation = depth == 1 && word.isKeyword("collate")
      if !isCollation, !isSkipped { rest.append(word) }
      isSkipped = isCollation
    }
    return SQLWords(words: rest + words[end...])
  }

  private func isAt(_ index: Int, _ phrase: [String]) -> Bool {
    index + phrase.count <= words.count
      && phrase.indices.allSatisfy { words[index + $0].isKeyword(phrase[$0]) }
  }

  private static func end(ofGroupAt start: Int, in words: [Word]) -> Int? {
    var depth = 0
    for index in words.indices[start...] {
      if words[index].isKeyword("(") { depth += 1 }
      if words[index].isKeyword(")") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }
}

/// The words in the text of a script; comments and strings do not count.
extension Script {
  /// True if the text contains this name; false for a step in Swift, which has no text.
  func uses(_ name: Name) -> Bool {
    !isCode && mayMention(name) && words.contains(name.folded)
  }

  /// True if it is certain that the script changes rows only.
  var changesRowsOnly: Bool {
    if readsSeed { return true }
    // The statements of a step in Swift are not known.
    if isCode { return false }
    let words = words
    return !["create", "alter", "drop"].contains { words.contains($0) }
  }

  /// True if a statement may ask for a random number or for the time.
  ///
  /// The statements of a step in Swift are not known.
  var mayVary: Bool { isCode || words.mayVary }

  /// The tables whose rows the statements insert, update or delete.
  ///
  /// A table that only a trigger changes is not among them.
  var tablesOfStatements: Set<Name> { words.changedTables }

  /// The columns that `ALTER TABLE` renames; nil for a step in Swift.
  var renamedColumns: [(before: Name, after: Name)]? {
    if isCode { return nil }
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

  private var isCode: Bool {
    if case .code = migration.body { true } else { false }
  }

  private var words: SQLWords { withText { SQLWords(Array($0)) } }
}
