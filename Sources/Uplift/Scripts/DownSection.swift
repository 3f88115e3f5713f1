/// A comment with which other tools begin the part of a file that undoes the other part.
///
/// To them it is no comment. If all of the file ran as one script, it would be undone at once.
struct DownSection {
  /// The comment without its dashes.
  let words: String
  /// True for a mark that has the tool's name in it, and means nothing else.
  let isNamed: Bool

  /// The whole comment has to be such a mark: `-- Down the road …` is none.
  init?(_ comment: UnsafeBufferPointer<UInt8>.SubSequence) {
    // Most comments are none, and cost one look at their first letter.
    guard
      let first = comment.first(where: { $0 != UInt8(ascii: "-") && !Self.ornament.contains($0) }),
      Self.initials.contains(first | 0x20)
    else { return nil }
    // No mark is longer, and a comment may be.
    guard comment.count < 200 else { return nil }
    let text = String(decoding: comment, as: UTF8.self).lowercased()
    let trimmed = text.utf8.drop { $0 == UInt8(ascii: "-") || Self.ornament.contains($0) }
    let words = Substring(trimmed).split { " \t\r".contains($0) }.map(String.init)
    isNamed = Self.isNamed(words)
    guard isNamed || Self.isPlain(words) else { return nil }
    self.words = String(decoding: comment, as: UTF8.self)
      .split { " \t\r".contains($0) }.joined(separator: " ")
  }

  /// True if nothing but blanks stands before the comment in its line, as the tools demand.
  func isFirst(inLineAt offset: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    let before = text[..<offset].last { $0 != 0x20 && $0 != 0x09 }
    return before == nil || before == 0x0a || before == 0xbf && offset == 3
  }

  private static func isNamed(_ words: [String]) -> Bool {
    switch (words.first, words.dropFirst().first) {
    // goose and micrate; sql-migrate, which takes options after it.
    case ("+goose", "down"), ("+micrate", "down"), ("+migrate", "down"): true
    // rambler.
    case ("rambler", "down"): words.count == 2
    // dbmate, which takes options after it.
    case ("migrate:down", let option): option?.contains(":") ?? true
    // MyBatis, with and without a blank.
    case ("//@undo", _), ("//", "@undo"): true
    // Play.
    case ("!downs", nil): true
    default: false
    }
  }

  /// Node's sqlite (`-- Down`), node-pg-migrate (`-- Down Migration`), shmig (`-- ==== DOWN ====`).
  private static func isPlain(_ words: [String]) -> Bool {
    let plain = words.map { $0.filter { !":=-".contains($0) } }.filter { !$0.isEmpty }
    return plain == ["down"] || plain == ["down", "migration"]
  }

  /// What may stand before the words: blanks, and the signs of a ruler.
  private static let ornament: Set<UInt8> = [0x20, 0x09, UInt8(ascii: "=")]

  /// The first characters of all marks, with the bit set that makes letters lower case.
  private static let initials = Set("+mr/!d".utf8.map { $0 | 0x20 })
}
