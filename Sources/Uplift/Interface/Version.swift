/// The number of the last script that ran on a database: its `PRAGMA user_version`.
///
/// A version is from 0 to 2147483647, because SQLite keeps it in a signed field of 32 bits, and
/// stores 0 for a larger number without an error. 0 is the version before the first script.
///
/// A dotted number names a release. Each part after the first has two digits: `1.4.2-1` is 1040201.
public struct Version: Sendable {
  /// The number that SQLite stores.
  public let number: Int32
  /// True if the version is written with a dot; versions with the same number are equal anyway.
  package let isDotted: Bool

  /// The version with this number; nil if it is negative or above 2147483647.
  public init?(_ number: some BinaryInteger) {
    guard let number = Int32(exactly: number), number >= 0 else { return nil }
    self.init(unchecked: number)
  }

  /// Reads a number such as `3`, `0003`, `1.4` or `1.4.2-1`; nil for any other text, and for 0.
  public init?(_ text: String) {
    do {
      self = try WrittenNumber.read(text.utf8)
    } catch {
      return nil
    }
  }

  /// The same number in the form of another version, plain or dotted: a database stores no form.
  package func written(like other: Version) -> Version {
    Version(unchecked: number, isDotted: other.isDotted)
  }

  /// The number as a release, for example `1.4.2-1`; nil for a plain number.
  package var release: String? {
    guard isDotted, number > 0 else { return nil }
    let (first, second) = (number / 1_000_000, number / 10_000 % 100)
    let (third, step) = (number / 100 % 100, number % 100)
    return "\(first).\(second)" + (third > 0 || step > 0 ? ".\(third)" : "")
      + (step > 0 ? "-\(step)" : "")
  }

  package init(unchecked number: Int32, isDotted: Bool = false) {
    self.number = number
    self.isDotted = isDotted
  }

  /// The version of a database on which no script has run.
  public static let zero = Version(unchecked: 0)
}

extension Version: Hashable {
  /// Compares the numbers; plain or dotted makes no difference.
  public static func == (left: Version, right: Version) -> Bool { left.number == right.number }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension Version: Comparable {
  /// Compares the numbers; plain or dotted makes no difference.
  public static func < (left: Version, right: Version) -> Bool { left.number < right.number }
}

extension Version: CustomStringConvertible {
  /// The number; for a dotted one, the release and the number: `1.4.2 (1040200)`.
  public var description: String { release.map { "\($0) (\(number))" } ?? "\(number)" }
}

extension Version: ExpressibleByIntegerLiteral {
  /// A plain number: `target: 3`; a negative one stops the program.
  public init(integerLiteral number: Int32) {
    precondition(number >= 0, "a version is not negative")
    self.init(unchecked: number)
  }
}

extension Version: ExpressibleByStringLiteral {
  /// A number in text: `target: "1.4.2"`; a text that is not a version stops the program.
  public init(stringLiteral text: String) {
    guard let version = Version(text) else { preconditionFailure("\(text) is not a version") }
    self = version
  }
}
