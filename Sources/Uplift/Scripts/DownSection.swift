/// A comment that begins the second part of a file, which undoes the first part.
///
/// goose, sql-migrate and dbmate write both parts in one file, and this comment divides them. If the
/// whole file ran as one script, its second part would undo the first at once.
package struct DownSection {
  /// The comment, with one space between its words.
  let words: String

  /// Nil for any other comment.
  package init?(_ comment: UnsafeBufferPointer<UInt8>.SubSequence) {
    // The first letter rules out most comments. A comment may be very long; a mark never is.
    let text = comment.drop { $0 == UInt8(ascii: "-") || $0 == 0x20 || $0 == 0x09 }
    guard let first = text.first, Self.initials.contains(first | 0x20), comment.count < 200 else {
      return nil
    }
    let words = Self.words(of: text).map { $0.lowercased() }
    switch (words.first, words.dropFirst().first) {
    case ("+goose", "down"), ("+migrate", "down"): break
    // dbmate allows options after the mark.
    case ("migrate:down", let option) where option?.contains(":") ?? true: break
    default: return nil
    }
    self.words = Self.words(of: comment).joined(separator: " ")
  }

  /// True if only blanks precede the comment on its line.
  ///
  /// The tools demand that.
  func isFirst(inLineAt offset: Int, of text: UnsafeBufferPointer<UInt8>) -> Bool {
    let before = text[..<offset].last { $0 != 0x20 && $0 != 0x09 }
    return before == nil || before == 0x0a || before == 0xbf && offset == 3
  }

  private static func words(of text: UnsafeBufferPointer<UInt8>.SubSequence) -> [String] {
    String(decoding: text, as: UTF8.self).split { " \t\r".contains($0) }.map(String.init)
  }

  /// The first characters of the marks, in lower case or with the same bit (0x20) set.
  private static let initials = Set("+m".utf8.map { $0 | 0x20 })
}
