/// Follows a script token by token and knows where its statements end.
///
/// A statement ends at a semicolon, except at one inside a trigger. These are the rules of
/// `sqlite3_complete`.
struct StatementEnd {
  /// How much of `CREATE TRIGGER … ; END;` has been read.
  private enum State { case start, normal, explain, create, trigger, semicolon, end }

  private enum Word { case semicolon, explain, create, temporary, trigger, end, other }

  private var state = State.start

  /// True between statements.
  var isBetween: Bool { state == .start }
  /// True if the next semicolon ends the statement, whatever stands before it.
  var endsAtSemicolon: Bool { state == .normal }
  /// True inside a trigger whose `END` has not come.
  var isInTrigger: Bool { state == .trigger || state == .semicolon }

  /// Moves past a token; `text` is its text.
  mutating func advance(
    past token: TokenReader.Token, _ text: UnsafeBufferPointer<UInt8>.SubSequence
  ) {
    switch token {
    case .lineComment, .blockComment: return
    case .semicolon: advance(past: .semicolon)
    case .word where !endsAtSemicolon: advance(past: Self.word(text))
    case .word, .quoted, .other: advance(past: .other)
    }
  }

  mutating func advancePastSemicolon() { advance(past: .semicolon) }

  /// Begins a statement if its first letter shows that it is not a trigger; if not, returns false.
  ///
  /// A trigger begins with `CREATE` or `EXPLAIN`, and most statements do not.
  mutating func begin(with letter: UInt8) -> Bool {
    let lowerCase = letter | 0x20
    guard lowerCase >= UInt8(ascii: "a"), lowerCase <= UInt8(ascii: "z"),
      lowerCase != UInt8(ascii: "c"), lowerCase != UInt8(ascii: "e")
    else { return false }
    state = .normal
    return true
  }

  private mutating func advance(past word: Word) {
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

  private static let words: [(letters: [UInt8], word: Word)] = [
    (Array("create".utf8), .create), (Array("trigger".utf8), .trigger),
    (Array("temp".utf8), .temporary), (Array("temporary".utf8), .temporary),
    (Array("end".utf8), .end), (Array("explain".utf8), .explain),
  ]

  private static func isSame(_ lowerCase: UInt8, _ byte: UInt8) -> Bool {
    lowerCase == byte | 0x20
  }

  private static func word(_ text: UnsafeBufferPointer<UInt8>.SubSequence) -> Word {
    words.first { $0.letters.count == text.count && $0.letters.elementsEqual(text, by: isSame) }?
      .word ?? .other
  }
}
