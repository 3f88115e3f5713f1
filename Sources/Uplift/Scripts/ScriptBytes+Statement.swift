extension ScriptBytes {
  /// A statement without the blanks and comments before it.
  func statement(from start: Int, to end: Int) -> String {
    let first = min(firstWord(from: start), end)
    var last = end
    while last > first, buffer[last - 1] <= 0x20 { last -= 1 }
    return String(decoding: buffer[first..<last], as: UTF8.self)
  }
}

extension StatementCheck {
  /// True when nothing but blanks, comments and semicolons is left.
  static func isBlank(_ text: ScriptBytes, from start: Int) -> Bool {
    let rest = UnsafeBufferPointer(rebasing: text.buffer[start...])
    do {
      return try !StatementCheck(rest, from: 0).hasStatement
    } catch {
      return false
    }
  }
}
