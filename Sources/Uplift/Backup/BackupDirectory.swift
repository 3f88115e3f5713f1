internal import UpliftSystem

/// The directory of the backups of one database, and their names.
///
/// The backup of `guestbook.db` at version 4 is `guestbook-4.db`.
struct BackupDirectory {
  let path: Path
  private let shown: String
  private let stem: [UInt8]
  private let ending: [UInt8]

  init(_ directory: String, of database: Path) throws(UpgradeError) {
    guard !directory.isEmpty else { throw .path(directory, .empty) }
    guard !directory.utf8.contains(0) else { throw .path(directory, .zeroByte) }
    path = Path(directory)
    shown = directory
    let name = database.name
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    // A name that begins with its only dot has no ending.
    let split = dot == name.startIndex ? name.endIndex : dot
    stem = Array(name[..<split])
    ending = Array(name[split...])
  }

  /// The path of the backup at a version.
  func file(at version: Version) -> Path {
    path.appending(stem + "-\(version.number)".utf8 + ending)
  }

  /// The name of a backup while it is written.
  ///
  /// No other file has this ending, so a torso is never taken for a backup.
  func torso(of backup: Path) -> Path { backup + ".part" }

  /// The path of a file for the state that a restore replaces, which has a name of its own.
  func file(replacedAt version: Version) throws(UpgradeError) -> Path {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? "" : "-\(attempt)"
      let name = stem + "-\(version.number)-replaced\(suffix)".utf8 + ending
      let file = path.appending(name)
      let facts = try UpgradeError.at(file) { () throws(SystemError) in
        try System.facts(of: file, followingLinks: false)
      }
      if facts == nil { return file }
      attempt += 1
    }
  }

  /// Makes the directory, if it is not there.
  func make() throws(UpgradeError) {
    do throws(SystemError) {
      guard try System.facts(of: path, followingLinks: true) == nil else { return }
      _ = try System.makeDirectory(path)
    } catch {
      throw error.isNotThere ? .missing(.backups, path: shown) : UpgradeError(error, at: path)
    }
  }

  /// The versions of which there is a backup, in ascending order; none if there is no directory.
  func versions() throws(UpgradeError) -> [Version] {
    let names: [[UInt8]]
    do {
      names = try System.names(in: path)
    } catch {
      if error.isNotThere { return [] }
      throw UpgradeError(error, at: path)
    }
    return names.compactMap(version).sorted()
  }

  /// The version in the name of a backup; nil for any other name.
  private func version(of name: [UInt8]) -> Version? {
    guard name.count > stem.count + ending.count + 1, name.starts(with: stem + "-".utf8),
      name.suffix(ending.count).elementsEqual(ending)
    else { return nil }
    let digits = name.dropFirst(stem.count + 1).dropLast(ending.count)
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count < 11,
      digits.first != UInt8(ascii: "0") || digits.count == 1,
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return Version(number)
  }

  /// Deletes the backups of the lowest versions, and keeps the newest and the one just made.
  ///
  /// At least one backup stays.
  func prune(keeping count: Int, and made: Version) throws(UpgradeError) {
    let versions = try versions()
    for version in versions.dropLast(max(count, 1)) where version.number != made.number {
      let file = file(at: version)
      try UpgradeError.at(file) { () throws(SystemError) in
        // A directory or a link with such a name is not a backup.
        guard try System.facts(of: file, followingLinks: false)?.kind == .file else { return }
        try System.removeFile(file)
      }
    }
  }

  /// Syncs the directory, so that a new name in it survives a power cut.
  func sync() throws(UpgradeError) {
    do {
      try OpenFile.directory(path).sync()
    } catch {
      if error.isUnsupported { return }
      throw UpgradeError(error, at: path)
    }
  }
}
