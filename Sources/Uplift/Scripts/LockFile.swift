internal import UpliftSystem

/// `uplift.lock` in a directory of scripts: the scripts that were released, each with its name and
/// the SHA-256 of its text.
///
/// The lines are sorted by the numbers of the scripts. So two branches that take one number change
/// the same line, and their merge shows a conflict. The script that reads the seed gets a new number
/// with each release, so its line has only the number: `content 7`. If no line has the newest version
/// of the release, for example because a step in Swift has made it, the last line is `newest 8`.
package struct LockFile {
  /// The line of a script.
  package struct Entry {
    package let name: String
    package let version: Version
    package let digest: String
    /// The line in the file.
    package let place: UpgradeError.Place
  }

  package static let name = "uplift.lock"
  private static let contentWord = "content "
  private static let newestWord = "newest "

  private let path: Path
  package private(set) var entries: [Entry] = []
  /// The version of the new content that was released last, and its line; nil if there was none.
  package private(set) var content: (version: Version, place: UpgradeError.Place)?
  /// The number in the last line, if it is `newest 8`.
  private var newestOfRelease: Version?

  /// Reads the file of a directory that has one.
  package init(in directory: String) throws(UpgradeError) {
    path = Path(directory).appending(Self.name.utf8)
    let text: [UInt8]
    do throws(SystemError) {
      let file = try OpenFile.reading(path)
      text = try file.readStart(Int(file.facts().size))
    } catch {
      let fix = "restore the file from the last release"
      throw UpgradeError(.scripts, "\(path.shown.quoted): \(error.words)", fix: fix)
    }
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: Self.withoutBlanksAtEnd($0), as: UTF8.self) }
    // The lines around a mark of Git are wrong only because of it.
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
    if let index = lines.firstIndex(where: { line in marks.contains { line.hasPrefix($0) } }) {
      throw fault(
        "a merge was not finished here", at: index + 1,
        fix: "keep only the lines of the side that is released, then run uplift release")
    }
    for (index, line) in lines.enumerated() where !line.isEmpty {
      try read(line, at: index + 1)
    }
  }

  private mutating func read(_ line: String, at number: Int) throws(UpgradeError) {
    let restore = "restore the file from the last release, then run uplift release"
    func version(after word: String) -> Version? {
      guard line.hasPrefix(word) else { return nil }
      return Int64(line.dropFirst(word.count)).flatMap(Version.init)
    }
    func misplaced(after last: String) -> UpgradeError {
      fault("no such line can come after the line \(last)", at: number, fix: restore)
    }
    if let newest = newestOfRelease { throw misplaced(after: Self.newest(newest)) }
    newestOfRelease = version(after: Self.newestWord)
    if newestOfRelease != nil { return }
    if let content { throw misplaced(after: Self.content(content.version)) }
    if let version = version(after: Self.contentWord) {
      content = (version, place(number))
      return
    }
    let digest = line.suffix(64)
    let name = String(line.dropLast(65))
    guard digest.utf8.count == 64, digest.allSatisfy({ "0123456789abcdef".contains($0) }),
      line.dropLast(64).last == " ", let version = ScriptName.version(of: name)
    else {
      throw fault(
        "the line is not the name of a script and 64 hexadecimal digits", at: number, fix: restore)
    }
    if let last = entries.last, last.version >= version {
      throw fault(
        "the number is not above that of the previous line", at: number,
        fix: "sort the lines by number; if two have the same number, \(restore)")
    }
    entries.append(
      Entry(name: name, version: version, digest: String(digest), place: place(number)))
  }

  private func place(_ line: Int) -> UpgradeError.Place {
    UpgradeError.Place(file: path.shown, line: line, column: 1)
  }

  private func fault(_ message: String, at line: Int, fix: String) -> UpgradeError {
    UpgradeError(.scripts, message, fix: fix, at: place(line))
  }

  /// The newest version that was released; 0 if the file is empty.
  package var newest: Version {
    [entries.last?.version, content?.version, newestOfRelease].compactMap(\.self).max() ?? .zero
  }

  /// Refuses an upgrade if a released script that it needs is missing, or has another text.
  ///
  /// A script that was left out once is lost for ever: the database has a higher number by then.
  func check(
    _ scripts: LoadedScripts, after version: Version, through target: Version
  ) throws(UpgradeError) {
    for entry in entries where entry.version > version && entry.version <= target {
      guard let script = scripts[entry.version] else {
        throw UpgradeError(
          .scripts, "\(entry.name.quoted) was released, and is not there",
          fix: "ship it: the scripts after it were written for its changes", at: entry.place)
      }
      guard script.digest == entry.digest else {
        throw UpgradeError(
          .scripts, "the script is not the one that was released",
          fix: "ship the released text, and put the change into a new script",
          at: UpgradeError.Place(file: script.migration.path))
      }
    }
  }

  /// The text of a lock file for these scripts, the new content and the newest version of the
  /// release.
  package static func text(of scripts: [Script], content: Version?, newest: Version) -> [UInt8] {
    var text = scripts.map { "\($0.migration.name) \($0.digest)\n" }.joined()
    if let content { text += self.content(content) + "\n" }
    if max(scripts.last?.migration.version ?? .zero, content ?? .zero) < newest {
      text += self.newest(newest) + "\n"
    }
    return Array(text.utf8)
  }

  private static func content(_ version: Version) -> String { contentWord + "\(version.number)" }

  private static func newest(_ version: Version) -> String { newestWord + "\(version.number)" }

  fileprivate static func withoutBlanksAtEnd(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let last = line.last, " \t\r".utf8.contains(last) { line.removeLast() }
    return line
  }
}

extension Upgrader.Migrations {
  /// The directories that have a lock file.
  package func lockedDirectories() throws(UpgradeError) -> [String] {
    var locked: [String] = []
    for directory in directories
    where try Path(directory).appending(LockFile.name.utf8).facts() != nil {
      locked.append(directory)
    }
    return locked
  }
}

extension Script {
  /// The SHA-256 of the text.
  ///
  /// Line ends, blanks at the end of a line, empty lines at the end of the text and a byte-order mark
  /// do not count, because editors and Git change them, nor do the directives that may come after a
  /// release.
  package var digest: String {
    withText { text in
      var lines = text.dropFirst(text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .map { LockFile.withoutBlanksAtEnd(ArraySlice($0)) }
        .filter { line in
          !["accepts ", "from "].contains { line.starts(with: "-- uplift: \($0)".utf8) }
        }
      while lines.last?.isEmpty == true { lines.removeLast() }
      return SHA256.hexadecimal(Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    }
  }
}
