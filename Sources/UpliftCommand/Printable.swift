internal import Uplift

extension String {
  /// The text with a replacement character for each character that would move the cursor of a
  /// terminal, end the line or change the direction of the text; tabs are kept.
  package var printable: String {
    guard unicodeScalars.contains(where: \.isHarmful) else { return self }
    var view = UnicodeScalarView()
    view.append(contentsOf: unicodeScalars.lazy.map { $0.isHarmful ? "\u{fffd}" : $0 })
    return String(view)
  }
}

extension Unicode.Scalar {
  fileprivate var isHarmful: Bool {
    switch value {
    case 0x09: false
    case 0...0x1f, 0x7f...0x9f: true
    // Line and paragraph separators, and the characters that set the direction of text.
    case 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}
