extension UpgradeError.MissingName {
  /// Looks for a name that SQLite did not find, from the place in a script that it names.
  ///
  /// Nil if SQLite's words are about something else.
  init?(_ words: String, in text: ScriptBytes, at offset: Int) {
    let start = "no such column: "
    guard words.hasPrefix(start) else { return nil }
    let name = words.dropFirst(start.count)
    // SQLite 3.46 and later ask: - should this be a string literal in single-quotes?
    if name.hasSuffix("in single-quotes?") {
      self = .inDoubleQuotes
    } else if name.hasPrefix("\"") {
      // DROP COLUMN and RENAME COLUMN put quotes round the name, whatever the script does.
      self = .inStatement
    } else {
      self = Self.find(name, in: text, from: offset)
    }
  }

  private static func find(_ name: Substring, in text: ScriptBytes, from offset: Int) -> Self {
    // A name with its table in front of it cannot be meant as text.
    let isQualified = name.contains(".")
    let column = Array((name.split(separator: ".").last ?? name).utf8)
    var reader = TokenReader(text.buffer, from: max(offset, text.textStart))
    var end = StatementEnd()
    // The text has been checked: there is nothing in it that does not end.
    while let (token, range) = try? reader.next() {
      if token == .lineComment || token == .blockComment { continue }
      end.see(token, text.buffer[range])
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
