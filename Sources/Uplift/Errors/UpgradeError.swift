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
