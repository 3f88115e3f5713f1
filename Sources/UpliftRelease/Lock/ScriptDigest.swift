internal import Uplift

/// The SHA-256 of a script's text.
///
/// Line ends, blanks at the end of a line, empty lines at the end of the text and a byte-order mark
/// do not count, because editors and Git change them.
enum ScriptDigest {
  static func of(_ script: Script) -> String {
    script.withText { SHA256.hexadecimal(normalized($0)) }
  }

  static func normalized(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var end = 0
    for byte in text.dropFirst(text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0) {
      switch byte {
      case UInt8(ascii: "\n"):
        result.removeLast(result.count - end)
        result.append(byte)
        end = result.count
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): result.append(byte)
      default:
        result.append(byte)
        end = result.count
      }
    }
    result.removeLast(result.count - end)
    while result.last == UInt8(ascii: "\n") { result.removeLast() }
    return result
  }
}
