package import UpliftSystem

extension UpgradeError {
  /// A backup that cannot be made or put back.
  public struct WrongBackup: Hashable, Sendable {
    /// The backup, or the directory of backups.
    public let path: String
    /// The problem of the backup.
    public let problem: BackupProblem
  }

  /// The reason why a backup cannot be made or put back.
  @nonexhaustive
  public enum BackupProblem: Hashable, Sendable {
    /// There is no such backup; name another version or directory.
    case notThere
    /// The version is above the target, so the program could not use the database.
    case aboveTarget(Version)
    /// The file is not a whole database; `words` are SQLite's. Choose another backup.
    case damaged(words: String)
    /// There is a journal or a log beside the backup, so a program may have it open.
    case journalBeside(String)
    /// Another file has the second name of this backup. It was made before a script without a
    /// transaction, whose changes may be in this backup. Only a person can say which of the two is
    /// wanted.
    case hasEarlier(String)
    /// The backup has the highest version, and the time of another one is later. Only a person can
    /// say which of them is wanted.
    case olderThan(String)
    /// The database in the file has another version than the file's name says.
    case otherVersion(Version)
    /// The database is in WAL mode, and SQLite cannot change its page size to that of the backup.
    case otherPageSize
    /// The file is the database itself, under another name; delete this link to it.
    case isDatabase
    /// The path is a symbolic link, which Uplift never makes; put the file itself in its place.
    case isLink
  }

  package static func backup(_ path: Path, _ problem: BackupProblem) -> UpgradeError {
    .backup(WrongBackup(path: path.shown, problem: problem))
  }
}

extension UpgradeError.BackupProblem {
  /// What is wrong with the backup, as the predicate of a clause.
  var words: String {
    switch self {
    case .notThere: "has no backup to put back"
    case .aboveTarget(let target): "is above the target \(target)"
    case .damaged(let words): "is damaged: \(words)"
    case .journalBeside(let journal):
      "has \"\(journal)\" beside it, so it is not the whole database"
    case .hasEarlier(let earlier):
      "is not the same file as \"\(earlier)\", which was made before a no-transaction script: "
        + "the changes of that script may be in this backup"
    case .olderThan(let other):
      "has the highest version, and the time of \"\(other)\" is later, so it is not clear which "
        + "of them is the newest"
    case .otherVersion(let version): "holds a database at \(version)"
    case .isDatabase: "is the database itself, under another name"
    case .isLink: "is a link, and perhaps another user has made it"
    case .otherPageSize: "has another page size than the database, which is in WAL mode"
    }
  }

  var remedy: String {
    switch self {
    case .notThere: "name another version, or the directory to which upgrades copy the database"
    case .aboveTarget: "choose a lower version with to: or --to, or start the newer program"
    case .damaged: "choose another backup with to: or --to; the database is as it was"
    case .journalBeside:
      "close the program that has the backup open, or move both files away"
    case .hasEarlier(let earlier):
      "move away the backup that you do not want; "
        + "if you want \"\(earlier)\", give it the name of this one"
    case .olderThan: "choose one of them with to: or --to"
    case .otherVersion: "move it away, or give the file the name of its version"
    case .isDatabase:
      "delete this link to the database, or name another directory for the backups"
    case .isLink: "put the file itself in its place, or delete the link"
    case .otherPageSize:
      "stop the service, and set PRAGMA journal_mode = DELETE in the database until the restore is done"
    }
  }

  var exitCode: Int32 {
    switch self {
    case .notThere: 66
    case .aboveTarget: 76
    case .damaged, .otherVersion, .otherPageSize, .isDatabase, .isLink, .journalBeside,
      .hasEarlier, .olderThan:
      78
    }
  }
}
