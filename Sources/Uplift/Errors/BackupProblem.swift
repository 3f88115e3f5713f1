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
    /// There is no such backup; name another version, directory or file.
    case notThere
    /// There are only backups of databases with another path, such as this one; if it is one of this
    /// database, name it as the file to put back.
    case ofOtherPath
    /// The version is above the target, so the program could not use the database.
    case aboveTarget(Version)
    /// The file is not a whole database; `words` are SQLite's. Choose another backup.
    case damaged(words: String)
    /// There is a journal or a log beside the backup, so a program may have it open.
    case journalBeside(String)
    /// The file is the database itself.
    case isDatabase
    /// A service has the database open, and a restore must have it to itself; the path is that of
    /// the database. Stop the service.
    case inUse
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
    case .ofOtherPath: "is a backup of a database with another path, and there is none of this one"
    case .aboveTarget(let target): "is above the target \(target)"
    case .damaged(let words): "is damaged: \(words)"
    case .journalBeside(let journal):
      "has \"\(journal)\" beside it, so it is not the whole database"
    case .isDatabase: "is the database itself"
    case .inUse: "is in use, and a restore needs it to itself"
    }
  }

  var remedy: String {
    switch self {
    case .notThere: "name another version, or the directory to which upgrades copy the database"
    case .ofOtherPath:
      "if it is one of this database, which was moved, name it with from: or --from"
    case .aboveTarget: "choose a lower version with to: or --to, or start the newer program"
    case .damaged: "choose another backup with --to or --from; the database is as it was"
    case .journalBeside:
      "close the program that has the backup open, or move both files away"
    case .isDatabase: "name a backup of it"
    case .inUse: "stop the service, then run this again"
    }
  }

  var exitCode: Int32 {
    switch self {
    case .notThere, .ofOtherPath: 66
    case .inUse: 75
    case .aboveTarget: 76
    case .damaged, .isDatabase, .journalBeside: 78
    }
  }
}
