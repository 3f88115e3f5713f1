extension UpgradeError.Excerpt {
  /// The columns of a line: 100, less two for the indent, one for a caret after the line, and one
  /// to spare.
  private static let width = 96

  /// Cuts a line around the character at this index, from 0.
  package init(of line: some Sequence<Unicode.Scalar>, around character: Int) {
    let line = Array(line)
    let character = min(max(character, 0), line.count)
    var start = character
    var end = character
    // Two columns are for the marks of the cuts.
    var room = Self.width - 2
    while true {
      let before = (start, end)
      if start > 0, line[start - 1].columns <= room {
        start -= 1
        room -= line[start].columns
      }
      if end < line.count, line[end].columns <= room {
        room -= line[end].columns
        end += 1
      }
      if (start, end) == before { break }
    }
    var text = String.UnicodeScalarView()
    if start > 0 { text.append("…") }
    text.append(contentsOf: line[start..<end])
    if end < line.count { text.append("…") }
    self.init(text: String(text), caret: character - start + (start > 0 ? 2 : 1))
  }
}

extension Unicode.Scalar {
  /// The width of a character in a terminal.
  ///
  /// A tab takes at most eight columns, a Chinese character or an emoji two, a combining accent
  /// none.
  package var columns: Int {
    switch value {
    case 0x09: 8
    case 0x0300...0x036f, 0x200b...0x200f, 0xfe00...0xfe0f: 0
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      2
    default: 1
    }
  }
}
