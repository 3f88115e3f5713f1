/// The reason why an upgrade did not reach its target.
///
/// Each case carries facts. `description` puts them into one clause, and ``remedy`` says in one
/// line what to do. An upgrade that fails leaves the database as it was, or at the last script that
/// succeeded. Only a `no-transaction` script may leave a part of its changes.
@nonexhaustive
public enum UpgradeError: Error, Hashable, Sendable {
  // The scripts or the seed are wrong; nothing was run.

  /// A file in the directory of scripts has a name that no script may have.
  ///
  /// Rename the file; some problems carry a name that would do. A step of the program that has the
  /// number 0 is such an error too.
  case scriptName(file: String, NameProblem)
  /// Two steps have the same number.
  ///
  /// A step is named by its path, or by its name and its line of Swift. Give one of the two another
  /// number.
  case duplicate(Version, first: String, second: String)
  /// Some steps have plain numbers and some have dotted ones, so that their order is not clear.
  ///
  /// The two names are an example of each kind. Use one kind for all steps.
  case mixedNumbers(plain: String, dotted: String)
  /// A script's text is wrong at this line and column, which count from 1.
  ///
  /// The text is checked before the first script runs. `file` is the path of the script, or the
  /// name of a step in SQL.
  case scriptText(file: String, line: Int, column: Int, TextProblem)
  /// No step has the target's number.
  ///
  /// `newest` is the highest number of a step, and nil if there are no steps. Ship the script, or
  /// set the target to the newest. A target of 0 with no newest step means that nothing ships at
  /// all: no step, and no seed with a version above 0.
  case targetNotShipped(Version, newest: Version?)
  /// The database is older than the seed, and no step leads to the seed's version.
  ///
  /// Later steps may need the changes of the steps that did not ship. Ship these as well.
  case gap(database: Version, seed: Version)
  /// The seed is not a database that can be copied; ship it again as a whole SQLite database.
  ///
  /// `file` is the path of the seed, or `bytes` for a seed in the program.
  case seed(file: String, FileProblem)
  /// A database is to be made from the seed, and the seed is newer than the target.
  ///
  /// Raise the target, or ship an older seed.
  case seedNewer(seed: Version, target: Version)

  // A file or directory is missing.

  /// The seed, the directory of scripts or the database does not exist.
  ///
  /// A path of scripts that is not a directory counts as missing. A missing database is an error
  /// only with ``Upgrader/IfMissing/fail``. Ship the seed or the scripts, or mount the volume of
  /// the database; otherwise correct the path.
  case missing(Resource, path: String)

  // A script failed; the scripts before it are kept.

  /// A step failed, or ran a statement that is not allowed; correct it, then start again.
  case failed(Failure)

  // The machine or another process stopped the upgrade.

  /// The disk failed or is full, or its file system lacks a function that Uplift needs.
  ///
  /// `path` is the file that the error is about, or the directory of temporary files if its disk is
  /// the full one. `script` is the step that was running, if there was one. Look at the disk and
  /// its free space, then start again.
  case disk(path: String, words: String, script: Failure?)
  /// Another process held the database for longer than ``Upgrader/Options/patience``.
  ///
  /// `reached` is nil if the version could not be read. Find the program that holds the database,
  /// then start again or allow a longer wait.
  case busy(path: String, reached: Version?)
  /// The operating system does not allow access to the database or its directory.
  ///
  /// Give the service the right to write both.
  case denied(path: String, words: String)
  /// The operating system does not allow reading the seed or the scripts.
  ///
  /// Give the service the right to read them, and to search the directories above them.
  case unreadable(path: String, words: String)
  /// The process, or the machine, has as many open files as it may have; raise the limit.
  case tooManyFiles(path: String, words: String)
  /// The database must be written, and it is read-only: the file, its directory or the file system.
  ///
  /// Give the service the right to write it.
  case readOnly(path: String)
  /// The path of the database, the seed or a script cannot be used; correct it.
  case path(String, PathProblem)
  /// SQLite reported an error that no other case describes, and that is not about a script.
  ///
  /// `code` is the extended result code, which sqlite.org/rescode.html explains. `words` are
  /// SQLite's.
  case sqlite(path: String, code: Int32, words: String)

  // The database must not be changed.

  /// The database is newer than the target, because a newer program has upgraded it.
  ///
  /// Start the newer program, or restore a copy from before its upgrade.
  case newer(database: Version, target: Version)
  /// The database's `user_version` is negative, so that it is not a version.
  ///
  /// Uplift never writes such a number. Find the program that does, and set the right one.
  case invalid(version: Int32)
  /// The file is not a whole database; restore it from a copy, because Uplift never replaces it.
  case damaged(path: String, FileProblem)
  /// The database has tables and the version 0, and the seed has a version.
  ///
  /// A copy that was made with `.dump` or `.clone` of the sqlite3 shell loses its version. Set
  /// `PRAGMA user_version` to the right one.
  case unversioned(path: String, seed: Version)
  /// The database has another `application_id` than the seed, so it belongs to another application.
  ///
  /// Correct the path of the database, or the seed's `application_id`.
  case foreign(path: String, applicationID: Int32, expected: Int32)
  /// There is a journal or a log, and its database is missing or an empty file.
  ///
  /// The journal may hold the only copy of a user's data. Restore the database beside it, or move
  /// it away; ``Upgrader/OrphanedJournals/moveAside`` does that at each boot.
  case orphaned(journal: String)
  /// Another process replaced or removed the database's file while an upgrade had it open.
  ///
  /// `reached` is the version of the file that was open. Stop the process, then start again.
  case moved(path: String, reached: Version)

  /// The task was cancelled, or `isCancelled` returned true.
  ///
  /// `reached` is nil if the upgrade had not read the version yet. Start again to continue.
  case cancelled(reached: Version?)
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
    /// It comes with this part, and with a name that would do if there is an obvious one.
    case notANumber(String, suggestion: String?)
    /// The name begins with three numbers, as in `2025-01-15_words.sql`; only the year would count.
    ///
    /// It comes with a number that would do if they are a year, a month and a day: `2025011501`.
    case date(suggestion: String?)
    /// The number is 0, which stands for a database that no script has changed.
    ///
    /// Number the scripts from 1.
    case zero
    /// The number is larger than 2147483647, the largest `user_version`.
    ///
    /// It comes with a number that would do if the digits look like a time.
    case tooLarge(suggestion: String?)
    /// A part of a dotted number is too large: the first may be 2146, the others 99.
    ///
    /// Use smaller parts, or plain numbers.
    case partTooLarge
    /// The name ends in `.down.sql`; in other tools, `1_x.down.sql` undoes `1_x.up.sql`.
    ///
    /// Leave such scripts out, because Uplift only goes forward.
    case goesDown
    /// The name is not UTF-8, so no text can name the file; rename it.
    case notUTF8
    /// It is the numbered directory of one script, as other tools make them; it would never run.
    ///
    /// `script` is the file inside. Move it out, to the name in `suggestion` if there is one.
    case directory(script: String, suggestion: String?)
    /// It is a directory, and the directory of scripts has no script beside it.
    ///
    /// Put the scripts beside it, because directories inside are not searched.
    case onlyDirectory
  }

  /// The reason why a script's text is refused before the first script runs.
  @nonexhaustive
  public enum TextProblem: Hashable, Sendable {
    /// The text has bytes that are not UTF-8; save it as UTF-8.
    case notUTF8
    /// The text is UTF-16, as some editors save it; save it as UTF-8.
    case utf16
    /// The text has a zero byte, at which SQLite would stop reading; remove it.
    case zeroByte
    /// A carriage return is not followed by a line feed; save the text with LF or CRLF line ends.
    case loneCarriageReturn
    /// A comment that begins here has no `*/`; the file may be cut short.
    case unterminatedComment
    /// A string that begins here has no closing quote; the file may be cut short.
    case unterminatedString
    /// A quoted name that begins here has no closing quote; the file may be cut short.
    case unterminatedIdentifier
    /// A `CREATE TRIGGER` that begins here has no `END;`, so the file may be cut short.
    case unterminatedTrigger
    /// There is neither a statement nor a comment.
    ///
    /// Remove the file, or write in a comment why the script is empty.
    case noStatement
    /// The script has the line `-- uplift: unfinished`; write the script, then remove the line.
    case unfinished
    /// A statement, with the comments before it, has more than 2147483647 bytes; divide the script.
    ///
    /// SQLite counts no further.
    case statementTooLong
    /// There is not enough memory for the script's bytes; divide the script.
    case tooLarge(bytes: Int64)
    /// A statement is a command of the sqlite3 shell, for example `.import`; write it in SQL.
    case dotCommand(String)
    /// No directive has these words after `-- uplift:`; the only other one is `no-transaction`.
    case unknownDirective(String)
    /// The directive `-- uplift: no-transaction` follows a statement; put it at the top.
    case lateDirective
    /// This comment begins the part of another tool's file that undoes the part before it.
    ///
    /// Leave that part out, because Uplift only goes forward; or change the comment if it is none.
    case downSection(String)
    /// The name belongs to a directory, a pipe, a socket or a device; remove or rename it.
    case notAFile
    /// The file was removed after its directory was listed.
    ///
    /// Ship the file, or start again when the deployment is complete.
    case notThere
    /// The file changed while it was read; start again when the deployment is complete.
    case changed
  }

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
    /// The file has another size than a database with its header: it was cut short, or has grown.
    case truncated(bytes: Int64, expected: Int64)
    /// There is a journal or a log beside the seed, and it holds a part of the seed's content.
    ///
    /// Close the program that has the seed open, or make a new seed with `VACUUM INTO`.
    case journalBeside(String)
    /// The content is damaged; `words` say how, and may be SQLite's.
    case malformed(words: String)
    /// The path names a directory, a pipe, a socket or a device.
    case notAFile
    /// The seed changed while it was copied; start again when the deployment is complete.
    case changed
  }

  /// The reason why a path cannot be used; most problems are those of a database's path.
  @nonexhaustive
  public enum PathProblem: Hashable, Sendable {
    /// The path has no characters.
    case empty
    /// The absolute path has more than 504 bytes; SQLite opens no longer one.
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
    /// `:memory:`, `file:…` or `sqlite:…`: other programs do not take it for a path.
    ///
    /// Name a file; `./` before the name makes it a path.
    case address
    /// The database and the seed are the same file; name another, because a seed is never changed.
    case isSeed
    /// A step asks for an upgrade of the database that it is changing; leave the call out.
    ///
    /// The steps after it run anyway, as soon as it has ended.
    case nested
  }

  /// A file or directory that an upgrade needs.
  @nonexhaustive
  public enum Resource: Hashable, Sendable {
    /// The seed's file.
    case seed
    /// The directory of scripts.
    case migrations
    /// The database's file.
    case database
  }
}
