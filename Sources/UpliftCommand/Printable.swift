internal import Uplift

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
}
