internal import UpliftSystem

/// Where the database lies, with every check of the path behind it.
struct DatabasePath {
  /// SQLite takes 512 bytes for the longest name, a journal's: eight more than the database's.
  static let longest = 504

  /// As the caller wrote it: for messages.
  let shown: String
  /// Absolute, and no link: SQLite keeps its journal beside the file that a link names.
  let path: String
  /// What the file was when it was looked at first; nil where there was none.
  let factsAtFirst: FileFacts?

  init(_ shown: String) throws(UpgradeError) {
    guard !shown.isEmpty else { throw .path(shown, .empty) }
    guard !shown.utf8.contains(0) else { throw .path(shown, .zeroByte) }
    self.shown = shown
    let entry = try UpgradeError.at(shown) { () throws(SystemError) in
      try System.facts(of: shown, followingLinks: false)
    }
    let absolute = try Self.absolute(shown, isLink: entry?.kind == .link)
    path = try entry == nil ? Self.resolvedForNew(absolute, shown) : absolute
    guard path.utf8.count <= Self.longest else {
      throw .path(shown, .tooLong(bytes: path.utf8.count))
    }
    let facts =
      entry?.kind == .link
      ? try UpgradeError.at(shown) { () throws(SystemError) in
        try System.facts(of: shown, followingLinks: true)
      } : entry
    factsAtFirst = try Self.checked(facts, shown)
  }

  private static func absolute(_ shown: String, isLink: Bool) throws(UpgradeError) -> String {
    guard isLink else {
      if shown.hasPrefix("/") { return shown }
      return try UpgradeError.at(shown) { () throws(SystemError) in
        try System.resolve(".") + "/" + shown
      }
    }
    do {
      return try System.resolve(shown)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: shown) }
      throw .path(shown, .danglingLink(target: System.target(ofLink: shown)))
    }
  }

  /// The path of a database that is to be made, through the links of the directories that are
  /// there: it is the path behind them that SQLite measures, when it is too late.
  private static func resolvedForNew(
    _ path: String, _ shown: String
  ) throws(UpgradeError) -> String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.index(after: $0)...] }
    guard let name, !["", ".", ".."].contains(name) else { throw .path(shown, .isDirectory) }
    var there = parent(of: path)
    var missing = "/" + name
    while true {
      do {
        let resolved = try System.resolve(there)
        return (resolved == "/" ? "" : resolved) + missing
      } catch {
        guard error.isNotThere else { throw UpgradeError(error, at: shown) }
        let isLink = try UpgradeError.at(there) { () throws(SystemError) in
          try System.isLink(there)
        }
        if isLink { throw .path(there, .danglingLink(target: System.target(ofLink: there))) }
        let above = parent(of: there)
        missing = there.dropFirst(above == "/" ? 0 : above.count) + missing
        there = above
      }
    }
  }

  /// The directory, never empty.
  var directory: String { Self.parent(of: path) }

  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The name under which a seed is copied; it is one byte shorter than a journal's.
  var temporary: String { path + "-uplift" }

  /// A name that no other process has: two copies under one would spoil each other.
  func temporaryOfOurs() -> String {
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    return temporary + "-" + String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// True for the names of both kinds, and no others: what bears one is removed.
  func isTemporary(name: String) -> Bool {
    let shared = temporary.utf8.dropFirst(directory == "/" ? 1 : directory.utf8.count + 1)
    guard name.utf8.starts(with: shared) else { return false }
    let rest = name.utf8.dropFirst(shared.count)
    guard let dash = rest.first else { return true }
    return dash == UInt8(ascii: "-") && rest.count == 9
      && rest.dropFirst().allSatisfy { Array("0123456789abcdef".utf8).contains($0) }
  }

  /// What the file is now; nil where there is none.
  func facts() throws(UpgradeError) -> FileFacts? {
    try Self.checked(
      try UpgradeError.at(shown) { () throws(SystemError) in
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

  /// True when changes that belong to the database lie beside it under this suffix.
  func hasJournal(_ suffix: String) throws(UpgradeError) -> Bool {
    try UpgradeError.at(shown + suffix) { () throws(SystemError) in
      try System.facts(of: path + suffix, followingLinks: true).map { $0.size > 0 } ?? false
    }
  }
}
