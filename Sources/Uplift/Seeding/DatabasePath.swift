/// Where the database lies, every check of the path behind it.
struct DatabasePath {
  /// SQLite takes 512 bytes for the longest name, a journal's: eight more than the database's.
  static let longest = 504

  /// As the caller wrote it: for messages.
  let shown: String
  /// Absolute, and no link: SQLite keeps its journal beside the file that a link names.
  let path: String

  init(_ shown: String) throws(UpgradeError) {
    self.shown = shown
    guard !shown.isEmpty else { throw .path(shown, .empty) }
    guard !shown.utf8.contains(0) else { throw .path(shown, .zeroByte) }
    path = try Self.absolute(shown)
    guard path.utf8.count <= Self.longest else {
      throw .path(shown, .tooLong(bytes: path.utf8.count))
    }
  }

  private static func absolute(_ shown: String) throws(UpgradeError) -> String {
    let entry = try UpgradeError.at(shown) { () throws(SystemError) in
      try System.facts(of: shown, followingLinks: false)
    }
    if entry?.kind == .link {
      let target = try UpgradeError.at(shown) { () throws(SystemError) in
        try System.facts(of: shown, followingLinks: true)
      }
      guard target != nil else {
        throw .path(shown, .danglingLink(target: System.target(ofLink: shown)))
      }
    } else if shown.hasPrefix("/") {
      return shown
    }
    return try UpgradeError.at(shown) { () throws(SystemError) in
      entry?.kind == .link
        ? try System.resolve(shown) : try System.resolve(".") + "/" + shown
    }
  }

  /// The directory, never empty.
  var directory: String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name under which a seed is copied; it is one byte shorter than a journal's.
  var temporary: String { path + "-uplift" }

  /// What the file is; nil where there is none.
  func facts() throws(UpgradeError) -> FileFacts? {
    let found: FileFacts?
    do {
      found = try System.facts(of: path, followingLinks: true)
    } catch {
      throw UpgradeError(error, at: shown)
    }
    switch found?.kind {
    case nil, .file: break
    case .directory: throw .path(shown, .isDirectory)
    default: throw .path(shown, .notAFile)
    }
    // SQLite takes a file of one byte for an empty database.
    if let size = found?.size, size > 0, size < 512 {
      throw .damaged(path: shown, .truncated(bytes: size, expected: 512))
    }
    return found
  }

  /// True when changes that belong to the database lie beside it under this suffix.
  func hasJournal(_ suffix: String) throws(UpgradeError) -> Bool {
    do {
      return try System.facts(of: path + suffix, followingLinks: true).map { $0.size > 0 } ?? false
    } catch {
      throw UpgradeError(error, at: shown + suffix)
    }
  }
}
