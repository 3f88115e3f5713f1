internal import Uplift

/// A line of a script as it stands on a terminal, and the blanks that lead to one of its characters.
package struct Excerpt: Equatable {
  package let text: String
  /// Tabs where the line has tabs, so that what follows stands below the character.
  package let padding: String

  /// Both are indented by two blanks.
  ///
  /// A character is counted from 1; one after the line is its end.
  package init(of line: String, at caret: Int) {
    let scalars = line.printable.unicodeScalars
    text = "  " + String(scalars)
    padding = "  " + scalars.prefix(max(caret - 1, 0)).map(\.blank).joined()
  }
}

extension Unicode.Scalar {
  fileprivate var blank: String {
    self == "\t" ? "\t" : String(repeating: " ", count: columns)
  }
}
