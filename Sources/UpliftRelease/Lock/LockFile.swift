internal import Uplift
internal import UpliftSystem

/// `uplift.lock` in a directory of scripts: a line for each released script, with its name and the
/// SHA-256 of its text.
///
/// The lines are sorted by the numbers of the scripts. So two branches that take one number change
/// the same line, and their merge shows a conflict. If the newest version of the release is not
/// that of a script in the file, because new content or a step in Swift made it, the last line is
/// `newest 7`. An upgrade never reads the file.
struct LockFile {
  struct Entry {
    let name: String
    let version: Version
    let digest: String
    /// The line in the file, from 1.
    let line: Int
  }

  static let name = "uplift.lock"
  private static let newestWord = "newest "

  let path: Path
  /// The lines that are right.
  private(set) var entries: [Entry] = []
  /// The number in the last line, if it is `newest 7`.
  private var newestOfRelease: Version?
  /// The lines that are wrong.
  private(set) var faults: [PlacedFact] = []

  /// Nil if there is no such file in the directory.
  init?(in directory: Path) throws(ReleaseError) {
    path = directory.appending(Self.name.utf8)
    guard let facts = try NewFile.facts(path) else { return nil }
    guard facts.kind == .file else { throw .upgrade(.path(path.shown, .notAFile)) }
    let path = path
    let bytes = try ReleaseError.at(path) { () throws(SystemError) in
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
    // This line is the last one.
    if newestOfRelease != nil { return fault(.unreadableLine) }
    if text.hasPrefix(Self.newestWord), let number = Int64(text.dropFirst(Self.newestWord.count)) {
      newestOfRelease = Version(number)
      if newestOfRelease == nil { fault(.unreadableLine) }
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
    let last = entries.last?.version
    guard let newestOfRelease else { return last }
    return max(newestOfRelease, last ?? .zero)
  }

  /// The newest version that was released from these directories; 0 if none is known.
  static func newest(in directories: [Path]) throws(ReleaseError) -> Version {
    var newest = Version.zero
    for directory in directories {
      newest = max(newest, try LockFile(in: directory)?.newest ?? .zero)
    }
    return newest
  }

  /// The text of a lock file for these scripts and the newest version of their release.
  static func text(of scripts: [Script], newest: Version) -> [UInt8] {
    let lines = scripts.flatMap { Array("\($0.migration.name) \(ScriptDigest.of($0))\n".utf8) }
    if let last = scripts.last, last.migration.version >= newest { return lines }
    return lines + "\(newestWord)\(newest.number)\n".utf8
  }
}
