/// Checks the bytes of a script before anything runs.
///
/// It finds what SQLite would read differently from what the author meant: bytes that are not
/// UTF-8, zero bytes, and carriage returns without a line feed.
enum TextCheck {
  /// The first problem of a script, and the offset of its byte.
  struct Problem: Error, Hashable {
    let offset: Int
    let kind: UpgradeError.TextProblem
  }

  static func check(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) {
    if isUTF16(text) { throw Problem(offset: 0, kind: .utf16) }
    var offset = 0
    while offset < text.count {
      // Most bytes of a script are printable ASCII.
      let isPlain = (0x20..<0x80).contains(text[offset])
      offset += isPlain ? 1 : try length(of: text, at: offset)
    }
  }

  /// The number of bytes of the character at an offset.
  private static func length(
    of text: UnsafeBufferPointer<UInt8>, at offset: Int
  ) throws(Problem) -> Int {
    let byte = text[offset]
    func next(_ distance: Int) -> UInt8 {
      offset + distance < text.count ? text[offset + distance] : 0
    }
    switch byte {
    case 0: throw Problem(offset: offset, kind: .zeroByte)
    case 0x0d where next(1) != 0x0a: throw Problem(offset: offset, kind: .loneCarriageReturn)
    case ..<0x80: return 1
    default: break
    }
    // Unicode's table of well-formed sequences: the first byte limits the second byte.
    let second: ClosedRange<UInt8>
    let count: Int
    switch byte {
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: throw Problem(offset: offset, kind: .notUTF8)
    }
    let isWhole =
      second.contains(next(1)) && (count < 3 || next(2) & 0xc0 == 0x80)
      && (count < 4 || next(3) & 0xc0 == 0x80)
    guard isWhole else { throw Problem(offset: offset, kind: .notUTF8) }
    return count
  }

  /// True if the text begins with a byte-order mark of UTF-16, or with a letter beside a zero.
  private static func isUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 2 else { return false }
    let pair = (text[0], text[1])
    return pair == (0xff, 0xfe) || pair == (0xfe, 0xff) || (pair.0 == 0) != (pair.1 == 0)
  }
}
