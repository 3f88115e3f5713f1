/// Sees where a statement ends, token by token, by the rules of `sqlite3_complete`: at a
/// semicolon, but for those inside a trigger.
struct StatementEnd {
  /// How much of `CREATE TRIGGER … ; END;` has been seen.
  private enum State { case start, normal, explain, create, trigger, semicolon, end }

  private enum Word { case semicolon, explain, create, temporary, trigger, end, other }

  private var state = State.start

  /// True between statements.
  var isBetween: Bool { state == .start }
  /// True inside a trigger whose `END` has not come.
  var isInTrigger: Bool { state == .trigger || state == .semicolon }

  mutating func see(_ token: TokenReader.Token, _ text: UnsafeBufferPointer<UInt8>.SubSequence) {
    switch token {
    case .lineComment, .blockComment: return
    case .semicolon: see(.semicolon)
    // Within an ordinary statement no word means anything here.
    case .word where state != .normal: see(Self.word(text))
    case .word, .quoted, .other: see(.other)
    }
  }

  private mutating func see(_ word: Word) {
    state =
      switch (state, word) {
      case (.start, .semicolon), (.normal, .semicolon), (.explain, .semicolon),
        (.create, .semicolon), (.end, .semicolon):
        .start
      case (.start, .explain), (.explain, .other), (.explain, .explain): .explain
      case (.start, .create), (.explain, .create), (.create, .temporary): .create
      case (.create, .trigger): .trigger
      case (.trigger, .semicolon), (.semicolon, .semicolon): .semicolon
      case (.semicolon, .end): .end
      case (.trigger, _), (.semicolon, _), (.end, _): .trigger
      default: .normal
      }
  }

  private static func word(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Word {
    guard (3...9).contains(text.count) else { return .other }
    switch String(decoding: text, as: UTF8.self).lowercased() {
    case "create": return .create
    case "trigger": return .trigger
    case "temp", "temporary": return .temporary
    case "end": return .end
    case "explain": return .explain
    default: return .other
    }
  }
}
