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
  private let ending: [UInt8]
  /// The names of copies that are being written.
  let temporary: TemporaryName

  /// `path` is that of the database, without links.
  init(of path: Path) {
    let name = VersionedName(of: path)
    let hash = Array(SHA256.hexadecimal(Array(path.bytes)).utf8.prefix(8))
    start = name.stem + "-".utf8 + hash + "-".utf8
    ending = name.ending
    // The hash comes first, because the end of a long name is cut off.
    temporary = TemporaryName(of: hash + "-".utf8 + path.name)
  }

  func bytes(of name: BackupName) -> [UInt8] {
    let count = String(name.counter)
    let zeros = String(repeating: "0", count: max(0, 4 - count.utf8.count))
    let end = "\(zeros)\(count)-v\(name.version.number)\(name.isReplaced ? "-replaced" : "")"
    return start + end.utf8 + ending
  }

  var longest: [UInt8] {
    bytes(of: BackupName(counter: 999_999_999, version: 2_147_483_647, isReplaced: true))
  }

  /// The name in these bytes; nil if they are no backup of this database.
  func read(_ bytes: [UInt8]) -> BackupName? {
    let parts = bytes.dropFirst(start.count).dropLast(ending.count).split(
      separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    // A counter of fifteen digits can still grow.
    guard parts.count > 1, parts[0].count <= 15, let counter = Int(digits: parts[0]),
      let number = Int(digits: parts[1].dropFirst()), let version = Version(number)
    else { return nil }
    let name = BackupName(counter: counter, version: version, isReplaced: parts.count > 2)
    return self.bytes(of: name) == bytes ? name : nil
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

  /// The name at a version, dotted if the version is.
  package func name(at version: Version) -> [UInt8] {
    name(suffix: "-\(version.release ?? "\(version.number)")")
  }

  /// The name of another copy: with the suffix `-rehearsed`, it is `guestbook-rehearsed.db`.
  package func name(suffix: String) -> [UInt8] { stem + Array(suffix.utf8) + ending }

  /// The version in a name; nil for a name that `name(at:)` does not give.
  package func version(of name: [UInt8]) -> Version? {
    let number = name.dropFirst(stem.count + 1).dropLast(ending.count)
    let version = Version(String(decoding: number, as: UTF8.self))
    return version.flatMap { self.name(at: $0) == name ? $0 : nil }
  }
}

extension Int {
  /// The number in these bytes, which may have a sign and zeros in front; nil if there is none.
  fileprivate init?(digits: some Sequence<UInt8>) {
    self.init(String(decoding: Array(digits), as: UTF8.self))
  }
}
