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
  ///
  /// In one pass and in place: a directory may hold thousands of them.
  static func read(_ text: some Collection<UInt8>) -> Result<WrittenNumber, Problem> {
    var parts = Parts()
    for byte in text {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        parts.add(digit: Int(byte - UInt8(ascii: "0")))
      case UInt8(ascii: ".") where !parts.hasStep:
        guard parts.begin(.dotted) else { return .failure(.notANumber) }
      case UInt8(ascii: "-") where parts.isDotted && !parts.hasStep:
        guard parts.begin(.step) else { return .failure(.notANumber) }
      default:
        return .failure(.notANumber)
      }
    }
    guard parts.isWhole else { return .failure(.notANumber) }
    if parts.isDotted { return readDotted(parts) }
    guard let version = Version(parts.latest) else {
      return .failure(.tooLarge(digits: String(decoding: text, as: UTF8.self)))
    }
    guard version > .zero else { return .failure(.zero) }
    return .success(WrittenNumber(version: version))
  }

  /// Two digits a part: the first goes to 2146, so that the whole fits, the others to 99.
  private static func readDotted(_ parts: Parts) -> Result<WrittenNumber, Problem> {
    guard let number = parts.number else { return .failure(.partTooLarge) }
    guard number > 0 else { return .failure(.zero) }
    return .success(WrittenNumber(version: Version(unchecked: number, isDotted: true)))
  }
}

/// The parts of a number, added up as they are read.
private struct Parts {
  enum Kind { case dotted, step }

  private(set) var isDotted = false
  private(set) var hasStep = false
  /// The part that is being read; more than any number may be, where it has too many digits.
  private(set) var latest = 0
  private var hasDigits = false
  /// The parts before the latest, and how many they are.
  private var sum = 0
  private var count = 0
  private var isTooLarge = false

  mutating func add(digit: Int) {
    hasDigits = true
    if latest < 1 << 40 { latest = latest * 10 + digit }
  }

  /// Ends a part and begins the next; false where there is none to end, or they are too many.
  ///
  /// A step is the fourth part, whatever there is before it.
  mutating func begin(_ kind: Kind) -> Bool {
    guard hasDigits else { return false }
    close()
    guard count <= (kind == .step ? 3 : 2) else { return false }
    isDotted = true
    if kind == .step {
      hasStep = true
      while count < 3 { close() }
    }
    return true
  }

  /// False where the last part has no digit.
  var isWhole: Bool { hasDigits }

  /// The whole, or nil where one of its parts is too large.
  var number: Int32? {
    var all = self
    while all.count < 4 { all.close() }
    return all.isTooLarge ? nil : Int32(exactly: all.sum)
  }

  private mutating func close() {
    if latest > (count == 0 ? 2146 : 99) { isTooLarge = true }
    sum = isTooLarge ? 0 : sum * 100 + latest
    latest = 0
    hasDigits = false
    count += 1
  }
}
