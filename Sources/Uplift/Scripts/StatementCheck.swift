/// What a script's statements are, found before the first script runs: that there is one, that the
/// last one ends, that they are SQL, and the directives above them.
///
/// SQLite takes an unterminated comment for a comment, and a script cut short inside a trigger
/// fails only when it is reached.
struct StatementCheck {
  typealias Problem = TextCheck.Problem

  private(set) var runsAlone = false
  private var hasStatement = false

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int) throws(Problem) {
    var reader = TokenReader(text, from: start)
    var end = StatementEnd()
    var statementStart = start
    while reader.skipBlanks() {
      if end.isBetween, end.begin(with: text[reader.offset]) {
        hasStatement = true
        statementStart = reader.offset
      } else if let (token, range) = try reader.next() {
        switch token {
        case .blockComment: continue
        case .lineComment:
          try readComment(text[range], at: range.lowerBound)
          continue
        case .other where end.isBetween && text[range.lowerBound] == UInt8(ascii: "."):
          let command = text[range.lowerBound...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") }
          throw Problem(
            offset: range.lowerBound,
            kind: .dotCommand(String(decoding: command, as: UTF8.self)))
        case .semicolon, .word, .quoted, .other: break
        }
        if end.isBetween, token != .semicolon {
          hasStatement = true
          statementStart = range.lowerBound
        }
        end.see(token, text[range])
      }
      if end.isIndifferent, try reader.skipToEnd() { end.seeSemicolon() }
    }
    if end.isInTrigger { throw Problem(offset: statementStart, kind: .unterminatedTrigger) }
    guard hasStatement else { throw Problem(offset: start, kind: .noStatement) }
  }

  private mutating func readComment(
    _ comment: UnsafeBufferPointer<UInt8>.SubSequence, at offset: Int
  ) throws(Problem) {
    // Most comments are neither, and cost one look at their first letter.
    guard let first = comment.dropFirst(2).first(where: { $0 != 0x20 && $0 != 0x09 }),
      [UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "+"), UInt8(ascii: "m")].contains(first)
    else { return }
    let words = String(decoding: comment.dropFirst(2), as: UTF8.self)
      .split { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
      .joined(separator: " ")
    if words.lowercased().hasPrefix("uplift:") {
      try readDirective(words.dropFirst(7).drop { $0 == " " }, at: offset)
    } else if Self.sectionsForGoingDown.contains(words.lowercased()) {
      throw Problem(offset: offset, kind: .downSection(words))
    }
  }

  /// `-- uplift: no-transaction` at the top; a directive nobody knows is an error, not a comment.
  private mutating func readDirective(_ directive: Substring, at offset: Int) throws(Problem) {
    guard directive == "no-transaction" else {
      throw Problem(offset: offset, kind: .unknownDirective(String(directive)))
    }
    guard !hasStatement else { throw Problem(offset: offset, kind: .lateDirective) }
    runsAlone = true
  }

  /// Where other tools begin the half of a file that undoes the other half: to them it is no
  /// comment, and run as one it would be undone at once.
  private static let sectionsForGoingDown: Set<String> = [
    "+goose down", "+migrate down", "migrate:down",
  ]
}
