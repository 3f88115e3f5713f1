internal import Uplift
internal import UpliftSystem

/// `uplift.lock` in a directory of scripts: the scripts that were released, each with its name and
/// the SHA-256 of its text.
///
/// The lines are sorted by the numbers of the scripts. So two branches that take one number change
/// the same line, and their merge shows a conflict. The script that reads the seed gets a new number
/// with each release, so its line has only the number: `content 7`. If no line has the newest version
/// of the release, for example because a step in Swift has made it, the last line is `newest 8`. An
/// upgrade never reads the file.
struct LockFile {
  struct Entry {
    let name: String
    let version: Version
    let digest: String
    /// The line in the file, from 1.
    let line: Int
  }

  static let name = "uplift.lock"
  private static let contentWord = "content "
  private static let newestWord = "newest "

  let path: Path
  /// The lines that are right.
  private(set) var entries: [Entry] = []
  /// The version of the new content that was released last; nil if there was none.
  private(set) var content: Version?
  /// The line of the new content in the file.
  private(set) var contentLine = 0
  /// The number in the last line, if it is `newest 8`.
  private var newestOfRelease: Version?
  /// The lines that are wrong.
  private(set) var faults: [PlacedFact] = []

  /// Nil if there is no such file in the directory.
  init?(in directory: Path) throws(UpgradeError) {
    path = directory.appending(Self.name.utf8)
    guard let facts = try NewFile.facts(path) else { return nil }
    guard facts.kind == .file else { throw .notAFile(path.shown) }
    let path = path
    let bytes = try UpgradeError.at(path) { () throws(SystemError) in
      try OpenFile.reading(path).readStart(Int(facts.size))
    }
    parse(bytes)
  }

  private mutating func parse(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      var text = Substring(decoding: bytes, as: UTF8.self)
      while text.unicodeScalars.last.map({ [" ", "\t", "\r"].contains($0) }) == true {
        text.unicodeScalars.removeLast()
      }
      if text.isEmpty { continue }
      parse(text, at: index + 1)
    }
    // The lines around the marker are wrong only because of it.
    if let marker = faults.first(where: { $0.fact == .mergeMarker }) { faults = [marker] }
  }

  private mutating func parse(_ text: Substring, at line: Int) {
    func fault(_ fact: Fact) {
      let place = Finding.Place(file: path.shown, line: line, column: nil, excerpt: nil)
      faults.append(PlacedFact(fact, place))
    }
    if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].contains(where: text.hasPrefix) {
      return fault(.mergeMarker)
    }
    func version(after word: String) -> Version? {
      guard text.hasPrefix(word) else { return nil }
      return Int64(text.dropFirst(word.count)).flatMap(Version.init)
    }
    // Nothing comes after `newest`.
    if let newestOfRelease { return fault(.misplacedLine(after: Self.newest(newestOfRelease))) }
    newestOfRelease = version(after: Self.newestWord)
    if newestOfRelease != nil { return }
    // Only `newest` comes after `content`.
    if let content { return fault(.misplacedLine(after: Self.content(content))) }
    content = version(after: Self.contentWord)
    if content != nil {
      contentLine = line
      return
    }
    let digest = text.suffix(64)
    let name = text.dropLast(65)
    guard digest.utf8.count == 64, digest.allSatisfy({ "0123456789abcdef".contains($0) }),
      text.dropLast(64).last == " ", let version = ScriptName.version(of: String(name))
    else { return fault(.unreadableLine) }
    if let last = entries.last, last.version >= version { return fault(.lockOrder) }
    entries.append(
      Entry(name: String(name), version: version, digest: String(digest), line: line))
  }

  /// The newest version that was released; nil if the file is empty.
  var newest: Version? {
    [entries.last?.version, content, newestOfRelease].compactMap(\.self).max()
  }

  /// The newest version that was released from these directories; 0 if none is known.
  static func newest(in directories: [Path]) throws(UpgradeError) -> Version {
    var newest = Version.zero
    for directory in directories {
      newest = max(newest, try LockFile(in: directory)?.newest ?? .zero)
    }
    return newest
  }

  /// The text of a lock file for these scripts, the new content and the newest version of the
  /// release.
  static func text(of scripts: [Script], content: Version?, newest: Version) -> [UInt8] {
    var text = scripts.map { "\($0.migration.name) \(ScriptDigest.of($0))\n" }.joined()
    if let content { text += self.content(content) + "\n" }
    if max(scripts.last?.migration.version ?? .zero, content ?? .zero) < newest {
      text += self.newest(newest) + "\n"
    }
    return Array(text.utf8)
  }

  private static func content(_ version: Version) -> String { contentWord + "\(version.number)" }

  private static func newest(_ version: Version) -> String { newestWord + "\(version.number)" }
}
