/// The statements of a text that has been checked.
extension ScriptBytes {
  /// The first statement at or after an offset.
  func statement(from offset: Int) -> StatementText {
    var reader = TokenReader(buffer, from: max(offset, textStart))
    var end = StatementEnd()
    var start: Int?
    var words: [String] = []
    var isWord = true
    var depth = 0
    while let (token, range) = reader.nextIfReadable() {
      if token == .lineComment || token == .blockComment { continue }
      if start == nil, token == .semicolon { continue }
      if start == nil { start = range.lowerBound }
      end.advance(past: token, buffer[range])
      if end.isBetween { break }
      if buffer[range.lowerBound] == UInt8(ascii: "("), token == .other { depth += 1 }
      if buffer[range.lowerBound] == UInt8(ascii: ")"), token == .other { depth -= 1 }
      isWord = isWord && token == .word && words.count < 8
      if isWord { words.append(String(decoding: buffer[range], as: UTF8.self).uppercased()) }
    }
    return StatementText(
      start: start ?? offset, end: reader.offset, isWhole: depth == 0, words: words)
  }

  /// The offset of the first token of the statement after an offset; `offset` itself if there is
  /// none.
  func firstToken(from offset: Int) -> Int {
    var reader = TokenReader(buffer, from: max(offset, textStart))
    while let (token, range) = reader.nextIfReadable() {
      if token != .lineComment, token != .blockComment, token != .semicolon {
        return range.lowerBound
      }
    }
    return offset
  }

  /// The text of a statement, without the blanks and comments before it and the blanks after it.
  func statement(from start: Int, to end: Int) -> String {
    let first = min(firstToken(from: start), end)
    var last = end
    while last > first, buffer[last - 1] <= 0x20 { last -= 1 }
    return String(decoding: buffer[first..<last], as: UTF8.self)
  }
}
