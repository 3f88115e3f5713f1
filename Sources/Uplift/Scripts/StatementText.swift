/// Where one statement lies in a script, and how it begins.
struct StatementText {
  /// At its first word, behind the blanks and comments before it.
  let start: Int
  /// Behind its semicolon.
  let end: Int
  /// False where the text ends inside its parentheses.
  let isWhole: Bool
  /// Its first words, in upper case, up to what is no word.
  let words: [String]
}

extension ScriptBytes {
  /// The statement that begins at a byte, or in the blanks and comments there.
  func statement(from offset: Int) -> StatementText {
    var reader = TokenReader(buffer, from: max(offset, textStart))
    var end = StatementEnd()
    var start: Int?
    var words: [String] = []
    var isWord = true
    var depth = 0
    // The text has been checked: there is nothing in it that does not end.
    while let (token, range) = try? reader.next() {
      if token == .lineComment || token == .blockComment { continue }
      if start == nil, token == .semicolon { continue }
      if start == nil { start = range.lowerBound }
      end.see(token, buffer[range])
      if end.isBetween { break }
      if buffer[range.lowerBound] == UInt8(ascii: "("), token == .other { depth += 1 }
      if buffer[range.lowerBound] == UInt8(ascii: ")"), token == .other { depth -= 1 }
      isWord = isWord && token == .word && words.count < 8
      if isWord { words.append(String(decoding: buffer[range], as: UTF8.self).uppercased()) }
    }
    return StatementText(
      start: start ?? offset, end: reader.offset, isWhole: depth == 0, words: words)
  }

  /// Where a statement's first word is.
  func firstWord(from offset: Int) -> Int {
    var reader = TokenReader(buffer, from: max(offset, textStart))
    while let (token, range) = try? reader.next() {
      if token != .lineComment, token != .blockComment, token != .semicolon {
        return range.lowerBound
      }
    }
    return offset
  }
}
