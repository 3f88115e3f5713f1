internal import UpliftSystem

/// Where the database lies, after every check of the path.
struct DatabaseFile {
  /// SQLite takes 512 bytes for the longest name, a journal's: eight more than the database's.
  static let longest = 504

  /// As the caller wrote it: for messages.
  let shown: String
  /// Absolute, and no link: SQLite keeps its journal beside the file that a link names.
  let path: Path
  /// What the file was when it was looked at first; nil if there was none.
  let factsAtFirst: FileFacts?

  init(_ shown: String) throws(UpgradeError) {
    guard !shown.isEmpty else { throw .path(shown, .empty) }
    guard !shown.utf8.contains(0) else { throw .path(shown, .zeroByte) }
    guard !Self.isAddress(shown) else { throw .path(shown, .address) }
    self.shown = shown
    let given = Path(shown)
    let entry = try UpgradeError.at(given) { () throws(SystemError) in
      try System.facts(of: given, followingLinks: false)
    }
    let absolute = try Self.absolute(given, isLink: entry?.kind == .link)
    path = try entry == nil ? Self.resolvedForNew(absolute, shown) : absolute
    guard path.bytes.count <= Self.longest else {
      throw .path(shown, .tooLong(bytes: path.bytes.count))
    }
    let facts =
      entry?.kind == .link
      ? try UpgradeError.at(given) { () throws(SystemError) in
        try System.facts(of: given, followingLinks: true)
      } : entry
    factsAtFirst = try Self.checked(facts, shown)
  }

  /// True for what other programs take for something else than a path: `:memory:`, an address that
  /// SQLite opens (`file:app.db`), one of a framework's (`sqlite:///app.db`).
  private static func isAddress(_ shown: String) -> Bool {
    let starts = ["file:", "sqlite:", "sqlite3:"].map { Array($0.utf8) }
    return shown.utf8.elementsEqual(":memory:".utf8)
      || starts.contains { shown.utf8.starts(with: $0) }
  }

  private static func absolute(_ path: Path, isLink: Bool) throws(UpgradeError) -> Path {
    if isLink {
      return try UpgradeError.at(path) { () throws(SystemError) in try System.resolve(path) }
    }
    if path.isAbsolute { return path }
    do {
      return try System.resolve(Path(".")).appending(path.bytes)
    } catch {
      throw error.isNotThere
        ? .path(path.shown, .noWorkingDirectory) : UpgradeError(error, at: path)
    }
  }

  /// The path of a database that is to be made, with every link of the directories that exist
  /// followed: SQLite measures that path, and when it does it is too late.
  private static func resolvedForNew(_ path: Path, _ shown: String) throws(UpgradeError) -> Path {
    let notFiles = ["", ".", ".."].map { Array($0.utf8) }
    guard !notFiles.contains(Array(path.name)) else { throw .path(shown, .isDirectory) }
    /// The names below `there`, the last one first.
    var missing = [Array(path.name)]
    var there = path.parent
    while true {
      do {
        return missing.reversed().reduce(try System.resolve(there)) { $0.appending($1) }
      } catch {
        guard error.isNotThere else { throw UpgradeError(error, at: Path(shown)) }
        let isLink = try UpgradeError.at(there) { () throws(SystemError) in
          try System.isLink(there)
        }
        if isLink { throw UpgradeError(error, at: there) }
        missing.append(Array(there.name))
        there = there.parent
      }
    }
  }

  /// The directory, never empty.
  var directory: Path { path.parent }

  /// What the file is now; nil if there is none.
  func facts() throws(UpgradeError) -> FileFacts? {
    try Self.checked(
      try UpgradeError.at(Path(shown)) { () throws(SystemError) in
        try System.facts(of: path, followingLinks: true)
      }, shown)
  }

  private static func checked(
    _ facts: FileFacts?, _ shown: String
  ) throws(UpgradeError) -> FileFacts? {
    switch facts?.kind {
    case nil, .file: break
    case .directory: throw .path(shown, .isDirectory)
    default: throw .path(shown, .notAFile)
    }
    // SQLite takes a file of one byte for an empty database.
    if let size = facts?.size, size > 0, size < 512 {
      throw .damaged(path: shown, .truncated(bytes: size, expected: 512))
    }
    return facts
  }

  /// True if changes that belong to the database lie beside it under this suffix.
  func hasJournal(_ suffix: String) throws(UpgradeError) -> Bool {
    try UpgradeError.at(Path(shown) + suffix) { () throws(SystemError) in
      try System.facts(of: path + suffix, followingLinks: true).map { $0.size > 0 } ?? false
    }
  }
}
