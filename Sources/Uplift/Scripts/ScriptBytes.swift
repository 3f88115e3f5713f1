/// The bytes of a script, with a zero byte after them, because SQLite stops at a zero byte.
///
/// Nothing changes the bytes after `init`, so threads can share them. They are a copy of the file and
/// not a mapping: the text that was checked is the text that runs, and a file that another process
/// cuts short does not end this process with `SIGBUS`.
final class ScriptBytes: @unchecked Sendable {
  private(set) var count = 0
  private let storage: UnsafeMutablePointer<UInt8>

  /// Bytes that `fill` writes and counts; they are at most `capacity`.
  init<Failure: Error>(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    storage = .allocate(capacity: capacity + 1)
    count = try fill(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    (storage + count).initialize(to: 0)
  }

  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { room in
      room.copyBytes(from: bytes)
      return bytes.count
    }
  }

  deinit { storage.deallocate() }

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  /// The offset of the first character, after the byte-order mark if there is one.
  var textStart: Int { buffer.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0 }

  /// Lends the text to a C function, up to the zero byte after it.
  func withText<Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Void
  ) throws(Failure) {
    try UnsafePointer(storage).withMemoryRebound(to: CChar.self, capacity: count + 1, body)
  }

  /// True if the text contains a word, which is given in lower case, in upper or lower case.
  func mentions(_ word: some Sequence<UInt8>) -> Bool {
    let word = Array(word)
    guard let first = word.first, word.count <= count else { return false }
    return (0...(count - word.count)).contains { start in
      storage[start] | 0x20 == first | 0x20
        && word.indices.allSatisfy { Self.folded(storage[start + $0]) == word[$0] }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }
}

/// The statements of a text that has been checked.
extension ScriptBytes {
  /// The first statement at or after an offset; comments are not part of it.
  func statement(from offset: Int) -> StatementText {
    let start = firstToken(from: offset)
    var reader = TokenReader(buffer, from: start)
    var end = StatementEnd()
    var words: [String] = []
    var depth = 0
    while let (token, range) = reader.nextIfReadable() {
      if token == .lineComment || token == .blockComment { continue }
      end.advance(past: buffer[range])
      if end.isBetween { break }
      if token == .word, words.count < 8 {
        words.append(String(decoding: buffer[range], as: UTF8.self).uppercased())
      }
      if buffer[range.lowerBound] == UInt8(ascii: "(") { depth += 1 }
      if buffer[range.lowerBound] == UInt8(ascii: ")") { depth -= 1 }
    }
    return StatementText(start: start, end: reader.offset, isWhole: depth == 0, words: words)
  }

  /// The offset of the next statement's first token; `offset` itself if there is none.
  func firstToken(from offset: Int) -> Int { statementStart(from: offset) ?? offset }

  /// The offset of the next statement's first token, or of a token without an end; nil if only
  /// blanks, comments and semicolons are left.
  func statementStart(from offset: Int) -> Int? {
    var reader = TokenReader(buffer, from: max(offset, textStart))
    do {
      while let (token, range) = try reader.next() {
        if token != .lineComment, token != .blockComment, token != .semicolon {
          return range.lowerBound
        }
      }
      return nil
    } catch {
      return error.offset
    }
  }

  /// The text of a statement, without the blanks and comments before it and the blanks after it.
  func statement(from start: Int, to end: Int) -> String {
    let first = min(firstToken(from: start), end)
    var last = end
    while last > first, buffer[last - 1] <= 0x20 { last -= 1 }
    return String(decoding: buffer[first..<last], as: UTF8.self)
  }
}

/// One statement of a script.
struct StatementText {
  let start: Int
  /// The offset after its semicolon.
  let end: Int
  /// False if the text ends inside the statement's parentheses.
  let isWhole: Bool
  /// Its first words in upper case, up to eight, without names in quotes.
  let words: [String]
}

enum ExistingObject {
  /// True if a statement failed only because the object that it creates exists, as SQLite's message
  /// says: `table t already exists` or `duplicate column name: c`.
  ///
  /// The statement's first words must fit: if a view has the name of a new table, SQLite says that
  /// the view exists, and `CREATE TABLE t (a, a)` has a duplicate column, too. Bytes are compared: a
  /// name may begin with a combining mark, which is one `Character` with the blank before it.
  static func isNamed(by message: String, in words: [String]) -> Bool {
    if words.first == "ALTER" {
      return message.utf8.starts(with: "duplicate column name: ".utf8)
    }
    let kind = words.first { ["TABLE", "INDEX", "VIEW", "TRIGGER"].contains($0) }
    guard words.first == "CREATE", let kind else { return false }
    return message.utf8.starts(with: (kind.lowercased() + " ").utf8)
      && message.hasSuffix(" already exists")
  }
}

/// The places of bytes.
extension ScriptBytes {
  /// The line and the column of a byte, from 1; every character is one column, also a tab.
  func location(of offset: Int) -> (line: Int, column: Int) {
    let head = buffer[textStart..<bounded(offset)]
    let start = head.lastIndex(of: 0x0a).map { $0 + 1 } ?? textStart
    return (1 + head.count { $0 == 0x0a }, 1 + head[start...].count { !Self.isInside($0) })
  }

  /// The line of a byte, without its line end; of a long line, only the text around the byte.
  func excerpt(at offset: Int) -> UpgradeError.Excerpt {
    let offset = bounded(offset)
    // A line may have millions of bytes.
    let reach = 4096
    let first = characterStart(before: offset - reach)
    let start = buffer[first..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? first
    let limit = min(count, offset + reach)
    let end = buffer[offset..<limit].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? limit
    let before = buffer[start..<offset].count { !Self.isInside($0) }
    let text = String(decoding: buffer[start..<characterStart(before: end)], as: UTF8.self)
    return UpgradeError.Excerpt(of: text.unicodeScalars, around: before)
  }

  /// The offset of the first byte of the character that a byte belongs to.
  private func characterStart(before offset: Int) -> Int {
    var start = bounded(offset)
    while start > textStart, start < count, Self.isInside(buffer[start]) { start -= 1 }
    return start
  }

  private func bounded(_ offset: Int) -> Int { min(max(offset, textStart), count) }

  /// True for the second and later bytes of a character.
  private static func isInside(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
}
