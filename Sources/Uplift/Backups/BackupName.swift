package import UpliftSystem

/// The name of a backup: `guestbook-1f3a9c02-0007-v4.db` is the seventh, of version 4.
///
/// A name is used once, so the counter says which backup is older, and no clock is asked.
struct BackupName: Hashable, Comparable {
  let counter: Int
  let version: Version
  /// True for what a restore replaced: `guestbook-1f3a9c02-0008-v5-replaced.db`.
  let isReplaced: Bool

  static func < (one: BackupName, other: BackupName) -> Bool {
    (one.counter, one.version) < (other.counter, other.version)
  }
}

/// The names of all backups of one database.
///
/// They contain eight digits of the hash of its path, so that two databases of one name may have
/// their backups in one directory.
struct BackupNames {
  private let start: [UInt8]
  private let split: VersionedName
  /// The names of copies that are being written.
  let temporary: TemporaryName

  /// `path` is that of the database, without links.
  init(of path: Path) {
    split = VersionedName(of: path)
    let hash = Array(SHA256.hexadecimal(Array(path.bytes)).utf8.prefix(Self.digits))
    start = split.stem + "-".utf8 + hash + "-".utf8
    // The hash comes first, because the end of a long name is cut off.
    temporary = TemporaryName(of: hash + "-".utf8 + path.name)
  }

  private static let digits = 8

  func bytes(of name: BackupName) -> [UInt8] {
    let count = String(name.counter)
    let zeros = String(repeating: "0", count: max(0, 4 - count.utf8.count))
    let end = "\(zeros)\(count)-v\(name.version.number)\(name.isReplaced ? "-replaced" : "")"
    return start + end.utf8 + split.ending
  }

  /// The name in these bytes; nil if they are no backup of this database.
  func read(_ bytes: [UInt8]) -> BackupName? {
    guard bytes.starts(with: start), bytes.count > start.count + split.ending.count else {
      return nil
    }
    let parts = bytes[start.count...].dropLast(split.ending.count).split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), (4...15).contains(parts[0].count),
      let counter = Self.number(parts[0]), let number = Self.number(parts[1].dropFirst()),
      let version = Version(Int64(number))
    else { return nil }
    let name = BackupName(counter: counter, version: version, isReplaced: parts.count == 3)
    return self.bytes(of: name) == bytes ? name : nil
  }

  /// True for a name that has the form of a backup of another path.
  func isOfOtherPath(_ bytes: [UInt8]) -> Bool {
    let hash = bytes.dropFirst(split.stem.count + 1).prefix(Self.digits)
    guard hash.count == Self.digits, !bytes.starts(with: start) else { return false }
    let own = start + bytes.dropFirst(split.stem.count + Self.digits + 2)
    return bytes.starts(with: split.stem + "-".utf8) && read(own) != nil
      && hash.allSatisfy { Array("0123456789abcdef".utf8).contains($0) }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

/// Names that carry the version of a database: a seed that was released as version 4 is
/// `guestbook-4.db`.
package struct VersionedName {
  fileprivate let stem: [UInt8]
  fileprivate let ending: [UInt8]

  /// `path` is that of the database or the seed.
  package init(of path: Path) {
    let name = path.name
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    // A name that begins with its only dot has no ending.
    let split = dot == name.startIndex ? name.endIndex : dot
    stem = Array(name[..<split])
    ending = Array(name[split...])
  }

  /// The name at a version.
  package func name(at version: Version) -> [UInt8] {
    stem + "-\(version.number)".utf8 + ending
  }

  /// The name of another copy: with the suffix `-rehearsed`, it is `guestbook-rehearsed.db`.
  package func name(suffix: String) -> [UInt8] { stem + Array(suffix.utf8) + ending }

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
