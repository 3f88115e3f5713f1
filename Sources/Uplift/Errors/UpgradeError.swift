/// Why an upgrade did not reach its target.
///
/// Each case carries facts; `description` puts them into one clause of words, `remedy` into one
/// line that says what to do. Whatever the case, the database is whole: as it was, or at the
/// last script that succeeded.
@nonexhaustive
public enum UpgradeError: Error, Hashable, Sendable {
  // The scripts or the seed are wrong; nothing was run.

  /// A script's file name does not say where it belongs.
  case scriptName(file: String, NameProblem)
  /// Two scripts have one number.
  case duplicate(Version, first: String, second: String)
  /// Plain and dotted numbers in one directory.
  case mixedNumbers(plain: String, dotted: String)
  /// A script cannot be read as SQL text.
  case scriptText(file: String, line: Int, column: Int, TextProblem)
  /// There is no script with the target's number.
  case targetNotShipped(Version, newest: Version?)
  /// The database is older than the seed, and the script that leads there did not ship.
  case gap(database: Version, seed: Version)
  /// The seed is not a database that can be copied.
  case seed(file: String, FileProblem)
  /// The seed is newer than the target.
  case seedNewer(seed: Version, target: Version)

  // Something is not there.

  /// The seed, the scripts, the database or its directory do not exist.
  case missing(Resource, path: String)

  // A script failed; the scripts before it are kept.

  /// A script failed, or did what no script may.
  case failed(Failure)

  // The machine.

  /// The disk failed, or is full.
  case disk(path: String, words: String, script: Failure?)
  /// The database stayed busy for as long as the upgrade was allowed to wait.
  case busy(path: String, reached: Version?)
  /// The operating system does not allow it.
  case denied(path: String, words: String)
  /// The operating system does not allow the seed or the scripts to be read.
  case unreadable(path: String, words: String)
  /// The process, or the machine, has as many open files as it may have.
  case tooManyFiles(path: String, words: String)
  /// The database has to be written and cannot be.
  case readOnly(path: String)
  /// The path cannot name a database.
  case path(String, PathProblem)
  /// SQLite failed in a way that is none of the above.
  case sqlite(path: String, code: Int32, words: String)

  // Not ours to touch.

  /// The database is newer than the target: a newer program has been here.
  case newer(database: Version, target: Version)
  /// The version in the header is negative.
  case invalid(version: Int32)
  /// The file is not a whole database.
  case damaged(path: String, FileProblem)
  /// The database has tables and no version, while the seed has one.
  case unversioned(path: String, seed: Version)
  /// The database belongs to another application.
  case foreign(path: String, applicationID: Int32, expected: Int32)
  /// The database is gone, its journal is not.
  case orphaned(journal: String)
  /// The database was replaced while it was open.
  case moved(path: String, reached: Version)

  /// The task was cancelled, or the process told to stop.
  case cancelled(reached: Version?)
}

extension UpgradeError {
  /// What a file name can get wrong.
  @nonexhaustive
  public enum NameProblem: Error, Hashable, Sendable {
    case noNumber
    /// The name begins with a digit, and what comes before its words is no number; a name that
    /// would do.
    case notANumber(String, suggestion: String?)
    /// Three numbers in a row, as in `2025-01-15_words.sql`; a number that would do, if they are
    /// the year, the month and the day.
    case date(suggestion: String?)
    case zero
    /// Does not fit; a number that would, if the digits look like a time.
    case tooLarge(suggestion: String?)
    case partTooLarge
    /// `1_x.down.sql`: in other tools, the script that undoes `1_x.up.sql`.
    case goesDown
    case notUTF8
    /// A directory with one script in it; the name that the script could have.
    case directory(script: String, suggestion: String?)
    /// A directory, and no script beside it.
    case onlyDirectory
  }

  /// What a script's text can get wrong before anything is run.
  @nonexhaustive
  public enum TextProblem: Hashable, Sendable {
    case notUTF8
    case utf16
    case zeroByte
    case loneCarriageReturn
    case unterminatedComment
    case unterminatedString
    case unterminatedIdentifier
    case unterminatedTrigger
    /// Neither a statement nor a comment.
    case noStatement
    /// `-- uplift: unfinished`
    case unfinished
    /// The statement, with the comments before it, has more bytes than SQLite can count.
    case statementTooLong
    /// There is not so much memory.
    case tooLarge(bytes: Int64)
    case dotCommand(String)
    case unknownDirective(String)
    case lateDirective
    /// A comment with which another tool's files begin what undoes the rest.
    case downSection(String)
    case notAFile
    /// A link that leads nowhere, or a file that was removed after the directory was listed.
    case notThere
    case changed
  }

  /// What can be wrong with a file that should be a database.
  @nonexhaustive
  public enum FileProblem: Hashable, Sendable {
    case empty
    case notADatabase(kind: String?)
    case truncated(bytes: Int64, expected: Int64)
    case journalBeside(String)
    case malformed(words: String)
    case notAFile
    case changed
  }

  /// What can be wrong with the path of a database.
  @nonexhaustive
  public enum PathProblem: Hashable, Sendable {
    case empty
    case tooLong(bytes: Int)
    case zeroByte
    case danglingLink(target: String)
    case isDirectory
    case notAFile
    case parentNotADirectory(String)
    /// A link that leads to itself, or through too many others.
    case linkLoop
    case nameTooLong
    /// A directory has the name of the database's journal, log or shared memory.
    case directoryForJournal
    /// The path is relative, and the working directory was removed.
    case noWorkingDirectory
    /// `:memory:`, `file:…` or `sqlite:…`: other programs take it for something else than a path.
    case address
    /// The database and the seed are one file.
    case isSeed
    /// A step asks for an upgrade of the database that it is part of.
    case nested
  }

  /// What an upgrade needs to find.
  @nonexhaustive
  public enum Resource: Hashable, Sendable {
    case seed, migrations, database
  }
}
