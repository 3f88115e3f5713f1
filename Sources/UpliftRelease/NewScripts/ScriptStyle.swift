internal import Uplift
internal import UpliftSystem

/// The way in which a directory writes the names of its scripts: the digits of the number and the
/// separator after it.
package struct ScriptStyle: Hashable {
  enum Kind: Hashable {
    /// 1, 2, 3
    case count
    /// A date, and a count of so many digits: `2017070101` or `20170701`.
    case date(countDigits: Int)
    /// The number of a release: `1.4.2-1`.
    case dotted
  }

  let kind: Kind
  /// The least number of digits.
  let width: Int
  let separator: String

  /// The style of the newest script; that of `0001_words.sql` if there is none.
  package init(newest name: String?) {
    guard let name else {
      self.init(kind: .count, width: 4, separator: "_")
      return
    }
    let (number, rest) = ScriptName.parts(of: name)
    let first = rest.first ?? "_"
    self.init(
      kind: Self.kind(of: number),
      width: number.utf8.count,
      separator: "_- ".contains(first) ? String(first) : "_")
  }

  private init(kind: Kind, width: Int, separator: String) {
    (self.kind, self.width, self.separator) = (kind, width, separator)
  }

  private static func kind(of number: String) -> Kind {
    if number.contains(".") { return .dotted }
    guard number.utf8.count == 8 || number.utf8.count == 10, let year = Int(number.prefix(4)),
      let month = Int(number.dropFirst(4).prefix(2)), let day = Int(number.dropFirst(6).prefix(2)),
      (1900...2146).contains(year), (1...12).contains(month), (1...31).contains(day)
    else { return .count }
    return .date(countDigits: number.utf8.count - 8)
  }

  /// The number of a new script, above `version`; nil if there is none.
  ///
  /// `today` begins with the date in eight digits. A new day begins with the count 1; without a
  /// day, a date is raised by 1, like any other number.
  func next(after version: Version, today: String?) -> Version? {
    let next = version.number == .max ? nil : Version(version.number + 1)
    switch kind {
    case .count: return next
    case .date(let digits):
      let first = today.map { String($0.prefix(8)) + (digits == 2 ? "01" : "") }
      return [first.flatMap { Version($0) }, next].compactMap { $0 }.max()
    case .dotted:
      guard let next, next.number % 100 != 0 else { return nil }
      return next.written(like: version)
    }
  }

  /// The number in a file's name.
  func written(_ version: Version) -> String {
    if kind == .dotted, let release = Version(unchecked: version.number, isDotted: true).release {
      return release
    }
    let digits = String(version.number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }

  /// The file's name for a number and some words.
  func name(_ version: Version, _ words: [String]) -> String {
    ([written(version)] + words).joined(separator: separator) + ".sql"
  }
}
