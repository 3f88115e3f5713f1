internal import UpliftSQLite
package import UpliftSystem

/// The path of the database, after it has been checked; the file may not exist yet.
struct DatabaseFile {
  /// The path as the caller wrote it, for messages.
  let shown: String
  /// The absolute path of the file itself: SQLite keeps its journal beside the target of a link.
  let path: Path
  /// The facts of the file when this value was made; nil if there was no file.
  let factsAtFirst: FileFacts?

  init(_ shown: String) throws(UpgradeError) {
    let given = try Path(checked: shown)
    guard !UpgradeError.isAddress(shown) else { throw .address(shown) }
    self.shown = shown
    let entry = try given.facts(followingLinks: false)
    let isLink = entry?.kind == .link
    let absolute = try isLink ? given.resolved() : given.absolute()
    if entry == nil, ["", ".", ".."].contains(where: { given.name.elementsEqual($0.utf8) }) {
      throw .isDirectory(shown)
    }
    path = try entry == nil ? Self.resolvedForNew(absolute, shown) : absolute
    // SQLite measures the path, too, but only after the database is made.
    try path.checkLength(shownAs: shown)
    factsAtFirst = try Self.checked(isLink ? given.facts() : entry, shown)
  }

  /// The path of a new file, after every link among its existing directories is followed.
  private static func resolvedForNew(_ path: Path, _ shown: String) throws(UpgradeError) -> Path {
    let directory = path.parent
    do {
      return try System.resolve(directory).appending(path.name)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: Path(shown)) }
      if try directory.isLink() { throw UpgradeError(error, at: directory) }
      return try resolvedForNew(directory, shown).appending(path.name)
    }
  }

  /// The facts of the file now.
  func facts() throws(UpgradeError) -> FileFacts? {
    try Self.checked(path.facts(shownAs: Path(shown)), shown)
  }

  /// True if no other program can have written the database: it has no log, and the file is the same.
  func isUnchanged(since before: FileFacts?) throws(UpgradeError) -> Bool {
    if try hasJournal("-wal") { return false }
    return try facts() == before
  }

  private static func checked(
    _ facts: FileFacts?, _ shown: String
  ) throws(UpgradeError) -> FileFacts? {
    guard let facts else { return nil }
    guard facts.kind == .file else {
      throw facts.kind == .directory ? .isDirectory(shown) : .notAFile(shown)
    }
    // SQLite would open a file of a few bytes as an empty database.
    guard facts.size == 0 || facts.size >= 512 else {
      throw .damaged(shown, "is not a database: it has \(facts.size) bytes")
    }
    return facts
  }

  /// True if there is a journal with this suffix beside the database, and it is not empty.
  func hasJournal(_ suffix: String) throws(UpgradeError) -> Bool {
    try (path + suffix).facts(shownAs: Path(shown) + suffix).map { $0.size > 0 } ?? false
  }

  /// Refuses a journal or a log without its database: it may be the only copy of somebody's data.
  ///
  /// SQLite would delete the log of an empty file. An empty file with a journal is what a crash in
  /// the first write to it leaves, so SQLite may delete that journal.
  func refuseOrphans() throws(UpgradeError) {
    let facts = try facts()
    guard facts == nil || facts?.size == 0 else { return }
    for suffix in facts == nil ? ["-wal", "-journal"] : ["-wal"] where try hasJournal(suffix) {
      // If another process has made a database meanwhile, the journal may belong to it.
      guard try self.facts() == facts else { return }
      throw .orphaned(shown + suffix)
    }
  }
}

extension Path {
  /// Refuses a text that cannot be a path.
  init(checked text: String) throws(UpgradeError) {
    guard !text.isEmpty else { throw .path(text, "is an empty path") }
    guard !text.utf8.contains(0) else { throw .path(text, "has a zero byte") }
    self.init(text)
  }

  /// Refuses a path of more than 504 bytes: SQLite allows 512 for that of a `-journal`.
  func checkLength(shownAs shown: String) throws(UpgradeError) {
    guard bytes.count > 504 else { return }
    throw .path(
      shown, "is \(bytes.count) bytes long, SQLite takes 504", fix: "use a shorter path")
  }

  /// The facts of the file; nil if nothing has this name.
  package func facts(
    followingLinks: Bool = true, shownAs shown: Path? = nil
  ) throws(UpgradeError) -> FileFacts? {
    try UpgradeError.at(shown ?? self) { () throws(SystemError) in
      try System.facts(of: self, followingLinks: followingLinks)
    }
  }

  package func isLink() throws(UpgradeError) -> Bool {
    try facts(followingLinks: false)?.kind == .link
  }

  /// The path without links; the file must exist.
  package func resolved() throws(UpgradeError) -> Path {
    try UpgradeError.at(self) { () throws(SystemError) in try System.resolve(self) }
  }

  /// The path from the root; links stay.
  func absolute() throws(UpgradeError) -> Path {
    if isAbsolute { return self }
    do {
      return try System.resolve(Path(".")).appending(bytes)
    } catch {
      guard error.isNotThere else { throw UpgradeError(error, at: self) }
      throw UpgradeError(
        .missing, "\(shown.quoted) begins in the working directory, which is not there any more",
        fix: "start in a directory that is there, or write a path from the root")
    }
  }

  /// Syncs the directory at this path, if its file system can, so that a new name survives a power
  /// cut.
  package func syncDirectory() throws(UpgradeError) {
    do {
      try OpenFile.directory(self).sync()
    } catch {
      if !error.isUnsupported { throw UpgradeError(error, at: self) }
    }
  }
}
