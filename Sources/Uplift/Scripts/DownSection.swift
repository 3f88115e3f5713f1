/// A comment that begins the second part of a file, which undoes the first part.
///
/// Other migration tools write both parts in one file, and this comment divides them. If the whole
/// file ran as one script, its second part would undo the first at once.
package struct DownSection {
  /// The comment, with one space between its words.
  let words: String
  /// True if only one tool writes this mark, as `-- +goose Down`.
  ///
  /// It then has no other meaning.
  package let isNamed: Bool

  /// Nil for any other comment.
  ///
  /// The whole comment must be such a mark: `-- Down the road …` is not one.
  package init?(_ comment: UnsafeBufferPointer<UInt8>.SubSequence) {
    // The first letter rules out most comments.
    guard
      let first = comment.first(where: { $0 != UInt8(ascii: "-") && !Self.ornament.contains($0) }),
      Self.initials.contains(first | 0x20)
    else { return nil }
    // A comment may be very long; a mark never is.
    guard comment.count < 200 else { return nil }
    let text = String(decoding: comment, as: UTF8.self).lowercased()
    let trimmed = text.utf8.drop { $0 == UInt8(ascii: "-") || Self.ornament.contains($0) }
    let words = Substring(trimmed).split { " \t\r".contains($0) }.map(String.init)
    isNamed = Self.isNamed(words)
    guard isNamed || Self.isPlain(words) else { return nil }
    self.words = String(decoding: comment, as: UTF8.self)
      .split { " \t\r".contains($0) }.joined(separator: " ")
  }

  /// True if only blanks precede the comment on its line.
  ///
  /// The tools demand that.
  func isFirst(inLineAt offset: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    let before = text[..<offset].last { $0 != 0x20 && $0 != 0x09 }
    return before == nil || before == 0x0a || before == 0xbf && offset == 3
  }

  private static func isNamed(_ words: [String]) -> Bool {
    switch (words.first, words.dropFirst().first) {
    // goose and micrate, and sql-migrate, which allows options after the mark.
    case ("+goose", "down"), ("+micrate", "down"), ("+migrate", "down"): true
    // rambler.
    case ("rambler", "down"): words.count == 2
    // dbmate, which allows options after the mark.
    case ("migrate:down", let option): option?.contains(":") ?? true
    // MyBatis, with and without a blank.
    case ("//@undo", _), ("//", "@undo"): true
    // Play, which allows words after the mark.
    case ("!downs", _): true
    default: false
    }
  }

  /// Node's sqlite (`-- Down`), node-pg-migrate (`-- Down Migration`), shmig (`-- ==== DOWN ====`),
  /// Mojolicious (`-- 2 down`), tern (`---- create above / drop below ----`), and `-- [down]`.
  private static func isPlain(_ words: [String]) -> Bool {
    let plain = words.map { $0.filter { !":=-[]@".contains($0) } }.filter { !$0.isEmpty }
    return plain == ["down"] || plain == ["down", "migration"]
      || plain == ["create", "above", "/", "drop", "below"]
      || plain.count == 2 && plain[1] == "down" && UInt32(plain[0]) != nil
  }

  /// Bytes that may precede the words: blanks, and equals signs, as in `-- ==== DOWN ====`.
  private static let ornament: Set<UInt8> = [0x20, 0x09, UInt8(ascii: "=")]

  /// The first characters of all marks.
  ///
  /// Letters are in lower case; other characters have the same bit (0x20) set.
  private static let initials = Set("+mr/!d[@c0123456789".utf8.map { $0 | 0x20 })
}
