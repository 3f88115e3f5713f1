internal import Uplift
internal import UpliftSQLite

/// The tokens of a piece of SQL, in a form in which two texts with the same meaning are equal.
///
/// Comments, blanks and the quotes around names make no difference. Outside of strings, upper and
/// lower case of `A` to `Z` are the same. Two operators with one meaning are the same, such as `!=`
/// and `<>`, except for `NOT NULL` as an operator.
struct SQLWords: Hashable {
  struct Word: Hashable {
    let text: [UInt8]
    /// True for a name in quotes, which is never a keyword.
    let isQuoted: Bool

    static func == (left: Word, right: Word) -> Bool {
      left.text == right.text && (left.isQuoted == right.isQuoted || !left.isConstant)
    }

    /// True for a word that is a value if it is not in quotes.
    private var isConstant: Bool {
      ["true", "false", "null", "current_date", "current_time", "current_timestamp"]
        .contains { text.elementsEqual($0.utf8) }
    }

    var shown: String {
      let text = String(decoding: text, as: UTF8.self)
      return isQuoted && isConstant ? "\"\(text)\"" : text
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(text)
    }

    func isKeyword(_ word: String) -> Bool { !isQuoted && text.elementsEqual(word.utf8) }

    /// True for a blob in hexadecimal digits, which are in lower case.
    var isBlob: Bool { !isQuoted && text.starts(with: Array("x'".utf8)) }

    /// The name that it means in a place where SQLite takes a string for a name.
    var name: Name {
      let isString = !isQuoted && text.first == UInt8(ascii: "'")
      return Name(isString ? text.dropFirst().dropLast() : text[...])
    }
  }

  private(set) var words: [Word] = []

  /// In the arguments of a virtual table (`isVirtual`), a quoted text after `=` is the value of an
  /// option, so its upper and lower case count: `tokenize = "unicode61 tokenchars X"`.
  init(_ text: [UInt8], isVirtual: Bool = false) {
    text.withUnsafeBufferPointer { read($0, isVirtual) }
    replace("! =", by: "< >")
    replace("= =", by: "=")
    // `IS NULL < 1` compares `NULL` with 1, and `ISNULL < 1` does not.
    let ends = [")", ",", ";", "and", "or", "then", "begin"]
    replace("isnull", by: "is null", before: ends)
    replace("notnull", by: "is not null", before: ends)
  }

  init(words: [Word]) {
    self.words = words
  }

  private mutating func read(_ buffer: UnsafeBufferPointer<UInt8>, _ isVirtual: Bool) {
    var reader = TokenReader(buffer, from: 0)
    var end = 0
    // The quote of the latest token, if it is a string or a quoted name; `x` before a blob.
    var latest: UInt8?
    while let (token, range) = reader.nextIfReadable() {
      let before = range.lowerBound == end ? latest : nil
      end = range.upperBound
      latest = nil
      let quote = buffer[range.lowerBound]
      switch token {
      case .lineComment, .blockComment: continue
      case .quoted where quote == UInt8(ascii: "'") && before == UInt8(ascii: "x"):
        add(Self.folded(buffer[range]), joinsLast: true)
      case .quoted where quote == UInt8(ascii: "'"):
        add(Array(buffer[range]), joinsLast: before == quote)
        latest = quote
      case .quoted:
        // A doubled quote is read as an end and a new start. Brackets cannot be doubled.
        let isDoubled = before == quote && quote != UInt8(ascii: "[")
        let text = buffer[range].dropFirst().dropLast()
        let isOption = isVirtual && words.last?.isKeyword("=") == true
        let name = isOption ? Array(text) : Self.folded(text)
        add(isDoubled ? [quote] + name : name, isQuoted: true, joinsLast: isDoubled)
        latest = quote
      case .semicolon, .word, .other:
        add(Self.folded(buffer[range]))
        if range.count == 1 { latest = words.last?.text.first }
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

  /// The words after the last closing parenthesis: the options of a table.
  var afterParentheses: SQLWords {
    guard let last = words.lastIndex(where: { $0.isKeyword(")") }) else { return self }
    return SQLWords(words: Array(words[(last + 1)...]))
  }

  /// The columns and constraints in the parentheses of a `CREATE TABLE`.
  var items: [SQLWords] {
    guard let open = words.firstIndex(where: { $0.isKeyword("(") }),
      let end = Self.end(ofGroupAt: open, in: words)
    else { return [] }
    var items: [[Word]] = [[]]
    var depth = 0
    for word in words[(open + 1)..<end] {
      if word.isKeyword("(") { depth += 1 }
      if word.isKeyword(")") { depth -= 1 }
      if depth == 0, word.isKeyword(",") {
        items.append([])
      } else {
        items[items.count - 1].append(word)
      }
    }
    return items.map { SQLWords(words: $0) }
  }

  /// How often this phrase of keywords occurs.
  func count(of phrase: String) -> Int {
    let phrase = phrase.split(separator: " ").map(String.init)
    return words.indices.count { isAt($0, phrase) }
  }

  /// The words without a phrase of keywords.
  func without(_ phrase: String) -> SQLWords {
    var copy = self
    copy.replace(phrase, by: "")
    return copy
  }

  /// The words of an index without each `COLLATE` that only repeats the collation of its column.
  func withoutUsualCollations(_ usual: (Name) -> Name?) -> SQLWords {
    var rest: [Word] = []
    var depth = 0
    var index = 0
    while index < words.count, depth > 0 || !words[index].isKeyword("where") {
      if words[index].isKeyword("(") { depth += 1 }
      if words[index].isKeyword(")") { depth -= 1 }
      rest.append(words[index])
      index += 1
      // A column, and not the end of an expression.
      if depth == 1, rest.count > 1, index + 1 < words.count, words[index].isKeyword("collate"),
        ["(", ","].contains(where: rest[rest.count - 2].isKeyword),
        usual(rest[rest.count - 1].name) == words[index + 1].name
      {
        index += 2
      }
    }
    return SQLWords(words: rest + words[index...])
  }

  /// Replaces a phrase; with `ends`, only at the end or if one of these follows.
  private mutating func replace(_ phrase: String, by other: String, before ends: [String]? = nil) {
    let phrase = phrase.split(separator: " ").map(String.init)
    let other = other.split(separator: " ").map { Word(text: Array($0.utf8), isQuoted: false) }
    var index = 0
    while index < words.count {
      if isAt(index, phrase), isEnd(index + phrase.count, ends) {
        words.replaceSubrange(index..<(index + phrase.count), with: other)
        index += other.count
      } else {
        index += 1
      }
    }
  }

  private func isEnd(_ index: Int, _ ends: [String]?) -> Bool {
    guard let ends, index < words.count else { return true }
    return ends.contains(where: words[index].isKeyword)
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
