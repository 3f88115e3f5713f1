internal import Uplift

/// A line of a script as a terminal shows it, and the padding that puts a caret below one of its
/// characters.
package struct TerminalExcerpt: Equatable {
  package let text: String
  /// Blanks, and a tab for each tab of the line, so that the caret stands below the character.
  package let padding: String

  /// Indents both by two blanks.
  ///
  /// Characters are counted from 1. One more than the last stands for the end of the line.
  package init(of line: String, at caret: Int) {
    let scalars = line.printable.unicodeScalars
    text = "  " + String(scalars)
    padding = "  " + scalars.prefix(max(caret - 1, 0)).map { $0 == "\t" ? "\t" : " " }.joined()
  }
}
