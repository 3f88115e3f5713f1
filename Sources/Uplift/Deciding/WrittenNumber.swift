/// A version as somebody wrote it, plain (`0003`) or dotted (`1.4.2-1`).
struct WrittenNumber: Hashable {
  let version: Version

  /// What is wrong with something that begins like a number.
  enum Problem: Error, Hashable {
    case notANumber
    case zero
    case tooLarge(digits: String)
    case partTooLarge
  }

  /// Reads the whole text, in ASCII digits: `+1` and `٣` are no numbers.
  static func read(_ text: some BidirectionalCollection<UInt8>) -> Result<WrittenNumber, Problem> {
    let text = Array(text)
    var parts: [[UInt8]] = [[]]
    var isDotted = false
    var hasStep = false
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        parts[parts.count - 1].append(byte)
      case UInt8(ascii: ".") where !hasStep:
        isDotted = true
        parts.append([])
      case UInt8(ascii: "-") where isDotted && !hasStep:
        hasStep = true
        while parts.count < 3 { parts.append([UInt8(ascii: "0")]) }
        parts.append([])
      default:
        return .failure(.notANumber)
      }
    }
    guard parts.allSatisfy({ !$0.isEmpty }), parts.count <= (hasStep ? 4 : 3) else {
      return .failure(.notANumber)
    }
    return isDotted ? readDotted(parts) : readPlain(parts[0])
  }

  private static func readPlain(_ digits: [UInt8]) -> Result<WrittenNumber, Problem> {
    guard let number = value(of: digits), let version = Version(number) else {
      return .failure(.tooLarge(digits: String(decoding: digits, as: UTF8.self)))
    }
    guard version > .zero else { return .failure(.zero) }
    return .success(WrittenNumber(version: version))
  }

  /// Two digits a part: the first goes to 2146, so that the whole fits, the others to 99.
  private static func readDotted(_ parts: [[UInt8]]) -> Result<WrittenNumber, Problem> {
    var number = 0
    for index in 0..<4 {
      let part = index < parts.count ? value(of: parts[index]) : 0
      guard let part, part <= (index == 0 ? 2146 : 99) else { return .failure(.partTooLarge) }
      number = number * 100 + part
    }
    guard let number = Int32(exactly: number), number > 0 else { return .failure(.zero) }
    return .success(WrittenNumber(version: Version(unchecked: number, isDotted: true)))
  }

  /// Nil when it would not fit in 64 bits.
  private static func value(of digits: [UInt8]) -> Int? {
    var number = 0
    for digit in digits {
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = product.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !isTooLarge, !isOver else { return nil }
      number = sum
    }
    return number
  }
}
