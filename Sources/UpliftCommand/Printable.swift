extension String {
  /// The same with a mark for each character that would move a terminal's cursor, end the line
  /// or turn the text round; tabs stay.
  package var printable: String {
    guard unicodeScalars.contains(where: \.isHarmful) else { return self }
    var view = UnicodeScalarView()
    view.append(contentsOf: unicodeScalars.lazy.map { $0.isHarmful ? "\u{fffd}" : $0 })
    return String(view)
  }

  /// How wide a terminal shows it.
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }
}

extension Unicode.Scalar {
  fileprivate var isHarmful: Bool {
    switch value {
    case 0x09: false
    case 0...0x1f, 0x7f...0x9f: true
    // Line and paragraph separators, and what sets the direction of text.
    case 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }

  /// How wide a terminal shows it: a tab at most eight, Chinese and the like two, an accent none.
  var columns: Int {
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
