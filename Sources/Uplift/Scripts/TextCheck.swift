/// What SQLite would read otherwise than it was meant, found before anything runs: bytes that
/// are not UTF-8, zero bytes, lone carriage returns.
enum TextCheck {
  struct Problem: Error, Hashable {
    let offset: Int
    let kind: UpgradeError.TextProblem
  }

  /// Sixteen bytes at a time as long as they are plain ASCII, one character at a time elsewhere.
  static func check(_ text: UnsafeBufferPointer<UInt8>) throws(Problem) {
    if isUTF16(text) { throw Problem(offset: 0, kind: .utf16) }
    var offset = 0
    while true {
      offset = text.firstIndex(from: offset) { index in
        let block = text.block(at: index)
        // As signed numbers, all beyond ASCII are below zero.
        let isASCII = SIMD16<Int8>(truncatingIfNeeded: block) .> SIMD16<Int8>()
        return block.contains("\r") .| .!isASCII
      }
      guard offset < text.count else { return }
      repeat {
        offset += try length(of: text, at: offset)
      } while offset < text.count && text[offset] >= 0x80
    }
  }

  /// The bytes of the character that begins here.
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
    // Unicode's table of well-formed sequences: the second byte bounds what the first allows.
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

  /// By its byte-order mark, or by the zero beside its first letter.
  private static func isUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 2 else { return false }
    let pair = (text[0], text[1])
    return pair == (0xff, 0xfe) || pair == (0xfe, 0xff) || (pair.0 == 0) != (pair.1 == 0)
  }
}
