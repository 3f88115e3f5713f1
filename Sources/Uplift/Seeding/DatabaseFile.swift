internal import UpliftSQLite
internal import UpliftSystem

/// The path of the database, after it has been checked.
///
/// The file may not exist yet.
struct DatabaseFile {
  /// The path as the caller wrote it, for messages.
  let shown: String
  /// The absolute path.
  ///
  /// A link is followed, because SQLite keeps its journal beside the link's target.
  let path: Path
  /// The facts of the file when this value was made; nil if there was no file.
  let factsAtFirst: FileFacts?

  init(_ shown: String) throws(UpgradeError) {
    guard !shown.isEmpty else { throw .path(shown, .empty) }
    guard !shown.utf8.contains(0) else { throw .path(shown, .zeroByte) }
    guard !UpgradeError.PathProblem.isAddress(shown) else { throw .path(shown, .address) }
    self.shown = shown
    let given = Path(shown)
    let entry = try UpgradeError.at(given) { () throws(SystemError) in
      try System.facts(of: given, followingLinks: false)
    }
    let absolute = try Self.absolute(given, isLink: entry?.kind == .link)
    path = try entry == nil ? Self.resolvedForNew(absolute, shown) : absolute
    try Self.checkLength(of: path, shown)
    let facts =
      entry?.kind == .link
      ? try UpgradeError.at(given) { () throws(SystemError) in
        try System.facts(of: given, followingLinks: true)
      } : entry
    factsAtFirst = try Self.checked(facts, shown)
  }

  private static func checkLength(of path: Path, _ shown: String) throws(UpgradeError) {
    guard path.bytes.count <= UpgradeError.PathProblem.longest else {
      throw .path(shown, .tooLong(bytes: path.bytes.count))
    }
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

  /// The path of a new database, after every link among its existing directories is followed.
  ///
  /// SQLite compares the length of this path with its limit, but only after the database is made.
  /// So it is measured before.
  private static func resolvedForNew(_ path: Path, _ shown: String) throws(UpgradeError) -> Path {
    let notFiles = ["", ".", ".."].map { Array($0.utf8) }
    guard !notFiles.contains(Array(path.name)) else { throw .path(shown, .isDirectory) }
    /// The names below `directory` that do not exist, the innermost first.
    var missing = [Array(path.name)]
    var directory = path.parent
    while true {
      do {
        return missing.reversed().reduce(try System.resolve(directory)) { $0.appending($1) }
      } catch {
        guard error.isNotThere else { throw UpgradeError(error, at: Path(shown)) }
        let isLink = try UpgradeError.at(directory) { () throws(SystemError) in
          try System.isLink(directory)
        }
        if isLink { throw UpgradeError(error, at: directory) }
        missing.append(Array(directory.name))
        directory = directory.parent
      }
    }
  }

  /// The directory that the database lies in.
  var directory: Path { path.parent }

  /// The facts of the file now; nil if there is none.
  func facts() throws(UpgradeError) -> FileFacts? {
    try Self.checked(
      try UpgradeError.at(Path(shown)) { () throws(SystemError) in
        try System.facts(of: path, followingLinks: true)
      }, shown)
  }

  /// True if no other program can have written the database: there is no log, and the file is still
  /// the same.
  func isUnchanged(since before: FileFacts?) throws(UpgradeError) -> Bool {
    if try hasJournal("-wal") { return false }
    return try facts() == before
  }

  private static func checked(
    _ facts: FileFacts?, _ shown: String
  ) throws(UpgradeError) -> FileFacts? {
    switch facts?.kind {
    case nil, .file: break
    case .directory: throw .path(shown, .isDirectory)
    default: throw .path(shown, .notAFile)
    }
    // SQLite would open a file of a few bytes as an empty database.
    if let size = facts?.size, size > 0, size < 512 {
      throw .damaged(path: shown, .truncated(bytes: size, expected: 512))
    }
    return facts
  }

  /// True if there is a journal with this suffix beside the database, and it is not empty.
  func hasJournal(_ suffix: String) throws(UpgradeError) -> Bool {
    try UpgradeError.at(Path(shown) + suffix) { () throws(SystemError) in
      try System.facts(of: path + suffix, followingLinks: true).map { $0.size > 0 } ?? false
    }
  }

  /// Refuses a journal or a log without its database, because it may be the only copy of somebody's
  /// data.
  ///
  /// An empty file with a log is refused, too: SQLite would delete the log. An empty file with a
  /// journal is what a crash in the first write to it leaves, so SQLite may delete that journal.
  func refuseOrphans() throws(UpgradeError) {
    let facts = try facts()
    let suffixes = facts == nil ? ["-wal", "-journal"] : ["-wal"]
    guard facts == nil || facts?.size == 0 else { return }
    for suffix in suffixes where try hasJournal(suffix) {
      // If another process has made a database meanwhile, the journal may belong to it.
      guard try self.facts() == facts else { return }
      throw .orphaned(journal: shown + suffix)
    }
  }
}
