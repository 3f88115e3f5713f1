internal import Uplift

/// The tokens of a piece of SQL, in a form in which two texts with the same meaning are equal.
///
/// Comments, blanks and the quotes of names are no difference, nor is the case of `A` to `Z` outside
/// of strings.
struct SQLWords: Hashable {
  private(set) var words: [[UInt8]] = []

  init(_ text: [UInt8]) {
    text.withUnsafeBufferPointer { buffer in
      var reader = TokenReader(buffer, from: 0)
      while let (token, range) = reader.nextIfReadable() {
        switch token {
        case .lineComment, .blockComment: continue
        case .quoted where buffer[range.lowerBound] == UInt8(ascii: "'"):
          words.append(Array(buffer[range]))
        case .quoted: words.append(Self.folded(buffer[range].dropFirst().dropLast()))
        case .semicolon, .word, .other: words.append(Self.folded(buffer[range]))
        }
      }
    }
  }

  init(words: [[UInt8]]) {
    self.words = words
  }

  /// True if one of the tokens is this word, which is given in lower case.
  func contains(_ word: String) -> Bool { words.contains(Array(word.utf8)) }

  func contains(_ word: [UInt8]) -> Bool { words.contains(word) }

  /// The text for a message.
  var shown: String {
    var text = ""
    for word in words.map({ String(decoding: $0, as: UTF8.self) }) {
      let isTight = text.isEmpty || text.hasSuffix("(") || [")", ",", "("].contains(word)
      text += (isTight ? "" : " ") + word
    }
    return text
  }

  /// The same without the parentheses around the whole expression.
  var withoutParentheses: SQLWords {
    var words = words
    while words.count > 2, words.first == Self.open, words.last == Self.close,
      Self.end(ofGroupAt: 0, in: words) == words.count - 1
    {
      words = Array(words.dropFirst().dropLast())
    }
    return SQLWords(words: words)
  }

  /// The expressions in parentheses after each of these words, in the order of their text.
  func expressions(after word: String) -> [SQLWords] {
    let word = Array(word.utf8)
    var found: [SQLWords] = []
    for index in words.indices.dropLast() where words[index] == word {
      guard words[index + 1] == Self.open, let end = Self.end(ofGroupAt: index + 1, in: words)
      else { continue }
      found.append(SQLWords(words: Array(words[(index + 1)...end])).withoutParentheses)
    }
    return found.sorted { $0.words.lexicographicallyPrecedes($1.words, by: Self.isBefore) }
  }

  /// The words after the last closing parenthesis: the options of a table.
  var afterParentheses: SQLWords {
    guard let last = words.lastIndex(of: Self.close) else { return self }
    return SQLWords(words: Array(words[(last + 1)...]))
  }

  /// The words from the first one that is this word.
  func from(_ word: String) -> SQLWords {
    let start = words.firstIndex(of: Array(word.utf8)) ?? 0
    return SQLWords(words: Array(words[start...]))
  }

  func without(_ word: String) -> SQLWords {
    SQLWords(words: words.filter { $0 != Array(word.utf8) })
  }

  /// How often the words stand one after the other.
  func count(of phrase: String) -> Int {
    let phrase = phrase.split(separator: " ").map { Array($0.utf8) }
    return words.indices.count { words[$0...].starts(with: phrase) }
  }

  private static let open = Array("(".utf8)
  private static let close = Array(")".utf8)

  private static func end(ofGroupAt start: Int, in words: [[UInt8]]) -> Int? {
    var depth = 0
    for index in words.indices[start...] {
      if words[index] == open { depth += 1 }
      if words[index] == close { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func isBefore(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.lexicographicallyPrecedes(other)
  }

  private static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }
}
