extension UpgradeError {
  /// The reason why a path cannot be used; most problems are those of a database's path.
  @nonexhaustive
  public enum PathProblem: Hashable, Sendable {
    /// The path has no characters.
    case empty
    /// The absolute path has more than 504 bytes; SQLite cannot open a longer path.
    case tooLong(bytes: Int)
    /// The path has a zero byte, at which the operating system would stop reading.
    case zeroByte
    /// The path is a link, and the file or directory that it leads to is missing.
    ///
    /// Mount or restore the target, or remove the link.
    case danglingLink(target: String)
    /// The path names a directory; name a file in it.
    case isDirectory
    /// The path names a pipe, a socket or a device.
    case notAFile
    /// This part of the path, or one above it, should be a directory and is not.
    case parentNotADirectory(String)
    /// The path is a link that leads to itself, or through too many other links.
    case linkLoop
    /// A name in the path is longer than the file system allows.
    case nameTooLong
    /// A directory has the name of the database's journal, log or shared memory; move it away.
    case directoryForJournal
    /// The path is relative, and the working directory was removed.
    ///
    /// Start in a directory that exists, or write an absolute path.
    case noWorkingDirectory
    /// The text is `:memory:`, `file:…` or `sqlite:…`, which other programs do not take for a path.
    ///
    /// Name a file; `./` before the name makes it a path.
    case address
    /// The database and the seed are the same file; name another, because a seed is never changed.
    case isSeed
    /// The directory for backups holds the database; name another, because a backup could have the
    /// name of another database there.
    case holdsDatabase
    /// The directory for copies of the database holds the seed; name another, because a copy there
    /// could be taken for a seed.
    case holdsSeed
    /// The directory for copies of the database holds the scripts; name another, because the copies
    /// would be released with them.
    case holdsScripts
    /// The path should name a directory, and names something else.
    case notADirectory
    /// The path of the directory for temporary files is not UTF-8; name another with `TMPDIR`.
    case notUTF8
    /// A step asks for an upgrade of the database that it is changing; leave the call out.
    ///
    /// The steps after it run anyway, as soon as it has ended.
    case nested
  }
}

extension UpgradeError.PathProblem {
  /// The longest path of a database in bytes.
  ///
  /// SQLite allows 512 for a journal's path, which has eight more bytes than the database's.
  static let longest = 504

  /// True for a text that other programs do not take for a path: `:memory:`, an address that SQLite
  /// opens (`file:app.db`), or an address of a framework (`sqlite:///app.db`).
  package static func isAddress(_ text: String) -> Bool {
    let starts = ["file:", "sqlite:", "sqlite3:"].map { Array($0.utf8) }
    return text.utf8.elementsEqual(":memory:".utf8)
      || starts.contains { text.utf8.starts(with: $0) }
  }
}
