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

  /// The text as a word of a shell, in quotes if it needs them.
  var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+".unicodeScalars.contains($0)
    }
    return isPlain && !isEmpty ? self : "'" + replacing("'", with: "'\\''") + "'"
  }

  /// The path of an entry of this directory.
  func appending(component name: String) -> String {
    utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
  }

  func padded(to width: Int, with filler: String = " ") -> String {
    self + String(repeating: filler, count: max(width - count, 0))
  }

  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension StringProtocol {
  /// True for ASCII digits only, and at least one.
  var isDigits: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

extension Unicode.Scalar {
  /// True for what moves the cursor of a terminal, or changes the direction of text.
  var isHarmful: Bool {
    switch value {
    case 0x09: false
    case 0...0x1f, 0x7f...0x9f: true
    // Line and paragraph separators, and the characters that set the direction of text.
    case 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
  }
}

extension Duration {
  /// Reads `60` or `0.5`, in ASCII digits; nil for anything else and for more than 999999999.
  package init?(seconds text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy(\.isDigits), let seconds = Double(text), seconds < 1_000_000_000
    else { return nil }
    self = .milliseconds(Int64(seconds * 1000))
  }

  /// The seconds with this many decimals, rounded down: `1.2`.
  func seconds(decimals: Int) -> String {
    let digits = String(components.attoseconds + 1_000_000_000_000_000_000).dropFirst()
    return "\(components.seconds)." + digits.prefix(decimals)
  }
}
