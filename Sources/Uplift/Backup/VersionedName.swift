package import UpliftSystem

/// Names that carry the version of a database: a copy of `guestbook.db` at version 4 is
/// `guestbook-4.db`.
package struct VersionedName {
  private let stem: [UInt8]
  private let ending: [UInt8]

  /// `path` is that of the database or the seed.
  package init(of path: Path) {
    let name = path.name
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    // A name that begins with its only dot has no ending.
    let split = dot == name.startIndex ? name.endIndex : dot
    stem = Array(name[..<split])
    ending = Array(name[split...])
  }

  /// The name at a version; `suffix` comes after the number.
  package func name(at version: Version, suffix: String = "") -> [UInt8] {
    stem + "-\(version.number)\(suffix)".utf8 + ending
  }

  /// The name of another copy: with the suffix `-rehearsed`, it is `guestbook-rehearsed.db`.
  package func name(suffix: String) -> [UInt8] { stem + Array(suffix.utf8) + ending }

  /// What comes after the number in the second name of a backup.
  static let earlierSuffix = "-earlier"

  /// The version in a name with the suffix `-earlier`; nil for any other name.
  func versionOfEarlier(in name: [UInt8]) -> Version? {
    let end = Array(Self.earlierSuffix.utf8) + ending
    guard name.count > end.count, name.suffix(end.count) == end[...] else { return nil }
    return version(of: name.dropLast(end.count) + ending)
  }

  /// The version in a name; nil for a name that `name(at:)` does not give.
  package func version(of name: [UInt8]) -> Version? {
    guard name.count > stem.count + ending.count + 1 else { return nil }
    let digits = name.dropFirst(stem.count + 1).dropLast(ending.count)
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let version = Version(Int64(String(decoding: digits, as: UTF8.self)) ?? -1),
      self.name(at: version) == name
    else { return nil }
    return version
  }
}
