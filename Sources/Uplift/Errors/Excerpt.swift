extension UpgradeError {
  /// A line of a script, and the character in it that is at fault.
  ///
  /// A long line is cut to 96 columns of a terminal around this character. `…` stands for each part
  /// that is left out.
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
