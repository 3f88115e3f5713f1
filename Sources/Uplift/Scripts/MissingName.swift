extension UpgradeError.MissingName {
  /// Searches the failed statement for the column name that SQLite did not find, and tells whether
  /// the name is quoted there.
  ///
  /// `offset` is the offset that SQLite reports. Nil if its message is about something else.
  init?(_ words: String, in text: ScriptBytes, at offset: Int) {
    let start = "no such column: "
    guard words.hasPrefix(start) else { return nil }
    let name = words.dropFirst(start.count)
    // SQLite 3.46 and later add: " - should this be a string literal in single-quotes?"
    if name.hasSuffix("in single-quotes?") {
      self = .inDoubleQuotes
    } else if name.hasPrefix("\"") {
      // DROP COLUMN and RENAME COLUMN always report the name in quotes.
      self = .inStatement
    } else {
      self = Self.find(name, in: text, from: offset)
    }
  }

  private static func find(_ name: Substring, in text: ScriptBytes, from offset: Int) -> Self {
    // A name with a table in front of it cannot be meant as text.
    let isQualified = name.contains(".")
    let column = Array((name.split(separator: ".").last ?? name).utf8)
    var reader = TokenReader(text.buffer, from: max(offset, text.textStart))
    var end = StatementEnd()
    while let (token, range) = reader.nextIfReadable() {
      if token == .lineComment || token == .blockComment { continue }
      end.advance(past: token, text.buffer[range])
      if end.isBetween { break }
      if token == .word, column.elementsEqual(text.buffer[range]) { return .inStatement }
      guard token == .quoted, range.count > 2,
        column.elementsEqual(text.buffer[range].dropFirst().dropLast())
      else { continue }
      let isDouble = text.buffer[range.lowerBound] == UInt8(ascii: "\"")
      if text.buffer[range.lowerBound] == UInt8(ascii: "'") { continue }
      return isDouble && !isQualified ? .inDoubleQuotes : .inStatement
    }
    return .elsewhere
  }
}
