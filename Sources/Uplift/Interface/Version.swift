/// The number that says which scripts a database has been through: its `PRAGMA user_version`.
///
/// A version fits where SQLite keeps it, a signed 32-bit field of the header: it lies between 0,
/// a database that has seen no script, and 2147483647. SQLite itself stores 0, silently, for
/// anything larger; here such a version cannot be made.
///
/// A dotted number follows a release, two digits a part: `1.4.2-1` is 1040201.
public struct Version: Sendable {
  /// As SQLite stores it.
  public let number: Int32
  /// True for one that was written with a dot; two versions with one number are equal all the same.
  let isDotted: Bool

  /// Nil when the number does not fit.
  public init?(_ number: some BinaryInteger) {
    guard let number = Int32(exactly: number), number >= 0 else { return nil }
    self.init(unchecked: number)
  }

  /// Reads `3`, `0003`, `1.4`, `1.4.2` or `1.4.2-1`; nil for anything else.
  public init?(_ text: String) {
    guard case .success(let written) = WrittenNumber.read(text.utf8) else { return nil }
    self = written.version
  }

  /// The same number, written as another version is: what is read from a database is dotted if the
  /// scripts are.
  func written(like other: Version) -> Version {
    Version(unchecked: number, isDotted: other.isDotted)
  }

  /// The number as a release, `1.4.2-1`; nil for a plain number.
  package var release: String? {
    guard isDotted, number > 0 else { return nil }
    let (first, second) = (number / 1_000_000, number / 10_000 % 100)
    let (third, step) = (number / 100 % 100, number % 100)
    return "\(first).\(second)" + (third > 0 || step > 0 ? ".\(third)" : "")
      + (step > 0 ? "-\(step)" : "")
  }

  init(unchecked number: Int32, isDotted: Bool = false) {
    self.number = number
    self.isDotted = isDotted
  }

  /// A database that has been through no script.
  public static let zero = Version(unchecked: 0)
}

extension Version: Hashable {
  public static func == (left: Version, right: Version) -> Bool { left.number == right.number }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
  }
}

extension Version: Comparable {
  public static func < (left: Version, right: Version) -> Bool { left.number < right.number }
}

extension Version: CustomStringConvertible {
  /// The number; for one that was written with a dot, the release and the number:
  /// `1.4.2 (1040200)`.
  public var description: String { release.map { "\($0) (\(number))" } ?? "\(number)" }
}

extension Version: ExpressibleByIntegerLiteral {
  public init(integerLiteral number: Int32) {
    precondition(number >= 0, "a version is not negative")
    self.init(unchecked: number)
  }
}

extension Version: ExpressibleByStringLiteral {
  /// A release: `target: "1.4.2"`.
  public init(stringLiteral text: String) {
    guard let version = Version(text) else { preconditionFailure("\(text) is not a version") }
    self = version
  }
}
