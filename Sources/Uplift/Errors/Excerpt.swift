extension UpgradeError {
  /// A line of a script, and the character in it that is at fault.
  ///
  /// A long line is cut to 96 characters around this one. `…` stands for each part that is left
  /// out.
  public struct Excerpt: Hashable, Sendable {
    /// The line, or the part of it that is shown.
    public let text: String
    /// The character of `text` that is at fault, from 1.
    ///
    /// For the end of the line, it is one more than the number of characters.
    public let caret: Int

    package init(text: String, caret: Int) {
      self.text = text
      self.caret = caret
    }
  }
}

extension UpgradeError.Excerpt {
  /// The characters of a line: a terminal of 100 columns, less two for the indent, one for a caret
  /// after the line, and one to spare.
  private static let width = 96

  /// Cuts a line around the character at this index, from 0.
  package init(of line: some Sequence<Unicode.Scalar>, around character: Int) {
    let line = Array(line)
    let character = min(max(character, 0), line.count)
    // Two columns are for the marks of the cuts.
    let room = Self.width - 2
    let start = max(0, min(character - room / 2, line.count - room))
    let end = min(line.count, start + room)
    var text = String.UnicodeScalarView()
    if start > 0 { text.append("…") }
    text.append(contentsOf: line[start..<end])
    if end < line.count { text.append("…") }
    self.init(text: String(text), caret: character - start + (start > 0 ? 2 : 1))
  }
}
