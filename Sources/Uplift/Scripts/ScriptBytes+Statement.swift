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

/// The range of one statement in a script, and its first words.
struct StatementText {
  /// The offset of its first word, after the blanks and comments before it.
  let start: Int
  /// The offset after its semicolon.
  let end: Int
  /// False if the text ends inside the statement's parentheses.
  let isWhole: Bool
  /// Its first words in upper case, up to eight.
  ///
  /// They stop before the first token that is not a word.
  let words: [String]
}

/// Recognises a statement that failed only because the object it creates already exists.
enum ExistingObject {
  /// True if SQLite's message says that the object already exists.
  ///
  /// The message is the only sign: `table t already exists` or `duplicate column name: c`. The
  /// statement's first words must fit the message, for two reasons. If a view has the name of a new
  /// table, SQLite says that the view exists; the table was not made, so the statement is not
  /// skipped. And `CREATE TABLE t (a, a)` also reports a duplicate column.
  ///
  /// Bytes are compared: a name may begin with a combining mark, which is one `Character` with the
  /// blank before it.
  static func isNamed(by message: String, in words: [String]) -> Bool {
    switch words.first {
    case "CREATE":
      guard let kind = words.first(where: kinds.contains) else { return false }
      return message.utf8.starts(with: (kind.lowercased() + " ").utf8)
        && message.hasSuffix(" already exists")
    case "ALTER": return message.utf8.starts(with: "duplicate column name: ".utf8)
    default: return false
    }
  }

  private static let kinds: Set<String> = ["TABLE", "INDEX", "VIEW", "TRIGGER"]
}

extension ScriptBytes {
  /// The line and the column of a byte, from 1.
  ///
  /// Every character is one column, also a tab.
  func location(of offset: Int) -> (line: Int, column: Int) {
    let head = buffer[..<bounded(offset)]
    let start = lineStart(before: offset)
    let line = head.reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) }
    let column = head[start...].reduce(1) { $0 + (Self.isInside($1) ? 0 : 1) }
    return (line, column)
  }

  /// The line of a byte, without its line end.
  ///
  /// For a long line, only the text around the byte.
  func excerpt(at offset: Int) -> UpgradeError.Excerpt {
    let offset = bounded(offset)
    // A line may have millions of bytes, and an excerpt shows only a few.
    let start = max(lineStart(before: offset), characterStart(before: offset - Self.reach))
    let limit = min(count, offset + Self.reach)
    let end = buffer[offset..<limit].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? limit
    let before = buffer[start..<offset].reduce(0) { $0 + (Self.isInside($1) ? 0 : 1) }
    let text = String(decoding: buffer[start..<characterStart(before: end)], as: UTF8.self)
    return UpgradeError.Excerpt(of: text.unicodeScalars, around: before)
  }

  /// More bytes than an excerpt shows on either side of its byte.
  private static let reach = 4096

  /// The offset of the first byte of the character that a byte belongs to.
  private func characterStart(before offset: Int) -> Int {
    var start = min(max(offset, textStart), count)
    while start > textStart, start < count, Self.isInside(buffer[start]) { start -= 1 }
    return start
  }

  private func bounded(_ offset: Int) -> Int { min(max(offset, textStart), count) }

  private func lineStart(before offset: Int) -> Int {
    buffer[textStart..<bounded(offset)].lastIndex(of: 0x0a).map { $0 + 1 } ?? textStart
  }

  /// True for the second and later bytes of a character.
  private static func isInside(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
}
