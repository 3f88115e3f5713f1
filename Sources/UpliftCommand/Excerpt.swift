/// A line of a script, cut to what fits, and the blanks that lead to one of its columns.
package struct Excerpt: Equatable {
  package let text: String
  /// Tabs where the line has tabs, so that what follows stands below the column.
  package let padding: String

  /// Both are indented by two blanks, and together with a caret at most 100 columns wide.
  ///
  /// A column counts the characters before it, from 1; one behind the line is its end.
  package init(of line: String, at column: Int) {
    let scalars = Array(line.printable.unicodeScalars)
    let caret = min(max(column - 1, 0), scalars.count)
    var start = caret
    var end = caret
    // The caret may stand behind the line; two for the indent, one for each cut.
    var room = 100 - 1 - 2 - 2
    while true {
      let before = start
      let after = end
      if start > 0, scalars[start - 1].columns <= room {
        start -= 1
        room -= scalars[start].columns
      }
      if end < scalars.count, scalars[end].columns <= room {
        room -= scalars[end].columns
        end += 1
      }
      if start == before, end == after { break }
    }

    func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      return String(view)
    }
    let isCutBefore = start > 0
    let isCutAfter = end < scalars.count
    text = "  " + (isCutBefore ? "…" : "") + string(scalars[start..<end]) + (isCutAfter ? "…" : "")
    padding =
      "  " + (isCutBefore ? " " : "")
      + scalars[start..<caret].map(\.blank).joined()
  }
}

extension Unicode.Scalar {
  fileprivate var blank: String {
    self == "\t" ? "\t" : String(repeating: " ", count: columns)
  }
}
