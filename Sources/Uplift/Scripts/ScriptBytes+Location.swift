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
