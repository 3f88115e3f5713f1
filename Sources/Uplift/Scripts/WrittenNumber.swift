/// A version in a file name or a text, plain (`0003`) or dotted (`1.4.2-1`).
///
/// This is the only parser of such numbers.
struct WrittenNumber: Hashable {
  let version: Version

  /// The reason why a text is not a version.
  enum Problem: Error, Hashable {
    case notANumber
    case zero
    case tooLarge
    case partTooLarge
  }

  /// Reads a number that is the whole text.
  ///
  /// Only ASCII digits count: `+1` and `٣` are not numbers.
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
    guard let version = Version(parts.latest) else { return .failure(.tooLarge) }
    guard version > .zero else { return .failure(.zero) }
    return .success(WrittenNumber(version: version))
  }

  /// Gives each part two digits: the first part is at most 2146, so that the whole fits, and the
  /// others are at most 99.
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
  /// The part that is being read.
  ///
  /// After too many digits, it is larger than any valid part.
  private(set) var latest = 0
  private var hasDigits = false
  /// The parts before the latest, as one number, and their count.
  private var sum = 0
  private var count = 0
  private var isTooLarge = false

  mutating func add(digit: Int) {
    hasDigits = true
    if latest < 1 << 40 { latest = latest * 10 + digit }
  }

  /// Ends a part and begins the next; false if the part has no digit, or if there are too many.
  ///
  /// A step is always the fourth part, also in `1.4-1`.
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

  /// False if the last part has no digit.
  var isWhole: Bool { hasDigits }

  /// The parts as one number; nil if one of them is too large.
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
