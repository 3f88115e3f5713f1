extension ScriptBytes {
  /// Line and column of a byte, from 1: a tab is one column, and so is any character.
  func place(of offset: Int) -> (line: Int, column: Int) {
    let head = buffer[..<bounded(offset)]
    let start = lineStart(before: offset)
    let line = head.reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) }
    let column = head[start...].reduce(1) { $0 + (Self.isInside($1) ? 0 : 1) }
    return (line, column)
  }

  /// The line in which a byte lies, without its end, and the place of the byte in it, from 1.
  ///
  /// Of a line of megabytes, what is around the byte.
  func excerpt(at offset: Int) -> (text: String, caret: Int) {
    let offset = bounded(offset)
    var start = lineStart(before: offset)
    var end = buffer[offset...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? count
    let isCutBefore = offset - start > Self.longest
    let isCutAfter = end - offset > Self.longest
    if isCutBefore { start = offset - Self.longest / 2 }
    if isCutAfter { end = offset + Self.longest }
    while start < offset, Self.isInside(buffer[start]) { start += 1 }
    while end < count, end > offset, Self.isInside(buffer[end]) { end -= 1 }
    let before = buffer[start..<offset].reduce(1) { $0 + (Self.isInside($1) ? 0 : 1) }
    let text = String(decoding: buffer[start..<end], as: UTF8.self)
    return (
      (isCutBefore ? "…" : "") + text + (isCutAfter ? "…" : ""), before + (isCutBefore ? 1 : 0)
    )
  }

  private static let longest = 120

  private func bounded(_ offset: Int) -> Int { min(max(offset, textStart), count) }

  private func lineStart(before offset: Int) -> Int {
    buffer[textStart..<bounded(offset)].lastIndex(of: 0x0a).map { $0 + 1 } ?? textStart
  }

  /// True for the bytes of a character behind its first.
  private static func isInside(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }
}
