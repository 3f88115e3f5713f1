/// The reason why an upgrade did not reach its target.
///
/// Each case has a struct with its facts. A later release may add facts to it.
/// `description` puts the facts into one clause, and ``remedy`` says in one line what to do. An
/// upgrade that fails leaves the database as it was, or at the last script that succeeded. Only a
/// `no-transaction` script may leave a part of its changes.
@nonexhaustive
public enum UpgradeError: Error, Hashable, Sendable {
  // The scripts or the seed are wrong; in most cases nothing was run.

  /// A file in the directory of scripts has a name that no script may have.
  ///
  /// Rename the file; some problems suggest a valid name. A step of the program with the number 0
  /// gives the same error.
  case scriptName(WrongName)
  /// Two steps have the same number; give one of them another number.
  case duplicate(Duplicate)
  /// Some steps have plain numbers and some have dotted ones, so that their order is not clear.
  ///
  /// Use one kind for all steps.
  case mixedNumbers(MixedNumbers)
  /// A script's text is wrong; the problem says how, and what to do.
  ///
  /// The text is checked before the first script runs.
  case scriptText(WrongText)
  /// No step has the target's number.
  ///
  /// Ship the script, or set the target to the newest. A target of 0 with no newest step means that
  /// nothing ships at all: no step, and no seed with a version above 0.
  case targetNotShipped(TargetNotShipped)
  /// The database is older than the seed, and no step leads to the seed's version.
  ///
  /// Later steps may need the changes of the steps that did not ship. Ship these as well.
  case gap(Gap)
  /// The seed is not a database that can be copied; ship it again as a whole SQLite database.
  case seed(WrongSeed)
  /// A database is to be made from the seed, and the seed is newer than the target.
  ///
  /// Raise the target, or ship an older seed.
  case seedNewer(SeedNewer)
  /// The program's ``Upgrader/Prepare`` has thrown an error, or an extension cannot be loaded.
  ///
  /// No step runs on a connection that is not prepared.
  case preparation(Preparation)

  // A file or directory is missing.

  /// The seed, the directory of scripts, the database, an extension or the directory above the
  /// backups does not exist.
  ///
  /// A path of scripts that is not a directory counts as missing. A missing database is an error
  /// only with ``Upgrader/IfMissing/fail``. Ship the seed or the scripts, or mount the volume of
  /// the database; otherwise correct the path.
  case missing(Missing)

  // A script failed; the scripts before it are kept.

  /// A step failed, or ran a statement that is not allowed; correct it, then start again.
  case failed(Failure)

  // The machine or another process stopped the upgrade.

  /// The disk failed or is full, or its file system lacks a function that Uplift needs.
  ///
  /// Look at the disk and its free space, then start again.
  case disk(Disk)
  /// Another process held the database for longer than ``Upgrader/Options/patience``.
  ///
  /// Find the program that holds the database, then start again or allow a longer wait.
  case busy(Busy)
  /// The operating system does not allow access to the database or its directory.
  ///
  /// Give the service the right to write both.
  case denied(Denial)
  /// The operating system does not allow reading the seed or the scripts.
  ///
  /// Give the service the right to read them, and to search the directories above them.
  case unreadable(Denial)
  /// The process, or the machine, has as many open files as it may have; raise the limit.
  case tooManyFiles(Denial)
  /// The database must be written, and it is read-only: the file, its directory or the file system.
  ///
  /// Give the service the right to write it.
  case readOnly(ReadOnly)
  /// The path of the database, the seed or a script cannot be used; correct it.
  case path(WrongPath)
  /// SQLite reported an error that no other case describes, and that is not about a script.
  ///
  /// Look its code up at sqlite.org/rescode.html.
  case sqlite(SQLiteFailure)

  // The database must not be changed.

  /// The database is newer than the target, because a newer program has upgraded it.
  ///
  /// Start the newer program, or restore a copy from before its upgrade.
  case newer(Newer)
  /// The database's `user_version` is negative, so that it is not a version.
  ///
  /// Uplift never writes such a number. Find the program that does, and set the right one.
  case invalid(Invalid)
  /// The file is not a whole database; restore it from a copy, because Uplift never replaces it.
  case damaged(Damaged)
  /// The database has tables and the version 0, and the seed has a version.
  ///
  /// A copy that was made with `.dump` or `.clone` of the sqlite3 shell loses its version.
  /// `uplift adopt` finds it out and writes it.
  case unversioned(Unversioned)
  /// The database has another `application_id` than the seed, so it belongs to another application.
  ///
  /// Correct the path of the database, or the seed's `application_id`.
  case foreign(Foreign)
  /// There is a journal or a log and no database, or a log beside an empty file.
  ///
  /// The journal may hold the only copy of a user's data. Restore the database beside the journal,
  /// or move the journal away.
  case orphaned(Orphaned)
  /// A backup cannot be made or put back; the problem says why.
  case backup(WrongBackup)
  /// Another process replaced or removed the database's file during an upgrade.
  ///
  /// Stop the process, then start again.
  case moved(Moved)

  /// The task was cancelled, or `isCancelled` returned true; start again to continue.
  case cancelled(Cancelled)
}
