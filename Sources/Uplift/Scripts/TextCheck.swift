/// The first problem of a script's text, at the offset of a byte.
struct TextProblem: Error {
  let offset: Int
  let message: String
  let remedy: String

  init(_ offset: Int, _ message: String, fix remedy: String) {
    self.offset = offset
    self.message = message
    self.remedy = remedy
  }
}

/// Finds what SQLite would read differently from what the author meant: bytes that are not UTF-8,
/// zero bytes, and carriage returns without a line feed.
enum TextCheck {
  static func check(_ text: UnsafeBufferPointer<UInt8>) throws(TextProblem) {
    if isUTF16(text) {
      throw TextProblem(0, "the text is UTF-16, not UTF-8", fix: "save the script as UTF-8")
    }
    var offset = 0
    while offset < text.count {
      switch text[offset] {
      case 0x20..<0x80: offset += 1
      case 0:
        throw TextProblem(
          offset, "a zero byte", fix: "remove the byte; SQLite would stop reading there")
      case 0x0d where offset + 1 == text.count || text[offset + 1] != 0x0a:
        throw TextProblem(
          offset, "a carriage return without a line feed",
          fix: "save the script with LF or CRLF line ends")
      case ..<0x20: offset += 1
      default:
        var parser = Unicode.UTF8.ForwardParser()
        var rest = UnsafeBufferPointer(rebasing: text[offset...]).makeIterator()
        guard case .valid(let character) = parser.parseScalar(from: &rest) else {
          throw TextProblem(offset, "bytes that are not UTF-8", fix: "save the script as UTF-8")
        }
        offset += character.count
      }
    }
  }

  /// True if the text begins with a byte-order mark of UTF-16, or with a letter beside a zero.
  private static func isUTF16(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count >= 2 else { return false }
    let pair = (text[0], text[1])
    return pair == (0xff, 0xfe) || pair == (0xfe, 0xff) || (pair.0 == 0) != (pair.1 == 0)
  }
}
