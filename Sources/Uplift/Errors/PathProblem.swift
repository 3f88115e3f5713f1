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

extension UpgradeError {
  /// The reason why a file is not a database that can be used or copied.
  @nonexhaustive
  public enum FileProblem: Hashable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file does not begin as a database does.
    ///
    /// `kind` names the kind of file that it is instead, for example `a gzip file`; nil if it is
    /// unknown.
    case notADatabase(kind: String?)
    /// The size of the file is not the one that its header says: it was cut short, or has grown.
    case truncated(Truncated)
    /// There is a journal or a log beside the seed, and it holds a part of the seed's content.
    ///
    /// Close the program that has the seed open, or make a new seed with `VACUUM INTO`.
    case journalBeside(String)
    /// The content is damaged; `words` say how, and may be SQLite's.
    case malformed(words: String)
    /// The path names a directory, a pipe, a socket or a device.
    case notAFile
    /// The seed has another text encoding than the database, and a script is to read the seed.
    ///
    /// SQLite cannot use both on one connection.
    case otherEncoding(OtherEncoding)
    /// The seed changed while it was used; start again when the deployment is complete.
    case changed

    /// A file whose size is not the one that its header says.
    public struct Truncated: Hashable, Sendable {
      /// The size of the file.
      public let bytes: Int64
      /// The size that it should have.
      public let expected: Int64
    }
  }
}

extension UpgradeError.FileProblem {
  /// The text encodings of the seed and of the database, as SQLite names them: `UTF-16le`.
  public struct OtherEncoding: Hashable, Sendable {
    public let seed: String
    public let database: String
  }
}

/// The problem, made from its facts.
extension UpgradeError.FileProblem {
  package static func truncated(bytes: Int64, expected: Int64) -> UpgradeError.FileProblem {
    .truncated(Truncated(bytes: bytes, expected: expected))
  }

  package static func otherEncoding(seed: String, database: String) -> UpgradeError.FileProblem {
    .otherEncoding(OtherEncoding(seed: seed, database: database))
  }
}

extension UpgradeError.FileProblem {
  /// True if SQLite cannot read the text of the schema, which may be that of a newer SQLite.
  var isUnreadableSchema: Bool {
    guard case .malformed(let words) = self else { return false }
    return words.hasPrefix("malformed database schema")
  }
}

extension UpgradeError {
  /// A file or directory that an upgrade needs.
  @nonexhaustive
  public enum Resource: Hashable, Sendable {
    /// The seed's file.
    case seed
    /// The directory of scripts.
    case migrations
    /// The database's file.
    case database
    /// The directory of backups; it cannot be made, because the directory above it is missing.
    case backups
    /// A file with code that SQLite is to load.
    case `extension`
  }
}

extension UpgradeError {
  /// The reason why a file name does not give a script its number.
  @nonexhaustive
  public enum NameProblem: Error, Hashable, Sendable {
    /// The name of a `.sql` file does not begin with a digit.
    ///
    /// Rename it to `NUMBER_WORDS.sql`, or to another extension if it is not a script.
    case noNumber
    /// The name begins with a digit, but the part before its words is not a number, as in
    /// `01event.sql`.
    ///
    /// Rename it to `NUMBER_WORDS.sql`.
    case notANumber(String)
    /// The name begins with three numbers, as in `2025-01-15_words.sql`; only the year would count.
    ///
    /// Write a date with a two-digit count as one number: `2017070101`.
    case date
    /// The number is 0, which stands for a database that no script has changed.
    ///
    /// Number the scripts from 1.
    case zero
    /// The number is larger than 2147483647, the largest `user_version`.
    ///
    /// A time of the day does not fit; a date and a two-digit count do: `2017070101`.
    case tooLarge
    /// A part of a dotted number is too large: the first is at most 2146, the others at most 99.
    ///
    /// Use smaller parts, or plain numbers.
    case partTooLarge
    /// The name ends in `.down.sql`; in other tools, `1_x.down.sql` undoes `1_x.up.sql`.
    ///
    /// Leave such scripts out, because Uplift only goes forward.
    case goesDown
    /// The name is not UTF-8, so no text can name the file; rename it.
    case notUTF8
    /// The name is that of a numbered directory with one script in it, as other tools make them;
    /// the script would never run.
    ///
    /// Move the script out of it.
    case directory(script: String)
    /// The name is that of a directory, and the directory of scripts has no script beside it.
    ///
    /// Put the scripts beside it, because directories inside are not searched.
    case onlyDirectory
  }
}
