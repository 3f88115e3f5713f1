extension UpgradeError {
  /// The exit code for a service that stops because of this error.
  ///
  /// With it a supervisor can tell, for example, a busy database from a script that is wrong.
  ///
  /// | code | meaning |
  /// |---|---|
  /// | 1 | a script failed; the database is at the last good version |
  /// | 64 | the path of the database, the seed or a script cannot be used |
  /// | 65 | the scripts or the seed are wrong, or `prepare` failed |
  /// | 66 | the seed, the scripts, the database, a backup, an extension or the working directory are missing |
  /// | 74 | the disk failed or is full, or SQLite reported another error |
  /// | 75 | another process held the database, or too many files are open; try again |
  /// | 76 | the database or the backup is newer than the target |
  /// | 77 | no permission, or read-only |
  /// | 78 | the database is damaged, unversioned, foreign or replaced, or a journal is orphaned |
  /// | 78 | the backup is damaged or does not fit the database |
  /// | 143 | cancelled |
  public var exitCode: Int32 {
    switch self {
    case .scriptName, .duplicate, .mixedNumbers, .scriptText, .targetNotShipped, .gap, .seed,
      .seedNewer, .preparation:
      65
    case .missing: 66
    case .failed: 1
    case .disk, .sqlite: 74
    case .busy, .tooManyFiles: 75
    case .denied, .readOnly, .unreadable: 77
    case .path(let path): path.problem.exitCode
    case .newer: 76
    case .backup(let backup): backup.problem.exitCode
    case .invalid, .damaged, .unversioned, .foreign, .orphaned, .moved: 78
    case .cancelled: 143
    }
  }
}

extension UpgradeError.PathProblem {
  fileprivate var exitCode: Int32 {
    switch self {
    case .danglingLink, .linkLoop, .noWorkingDirectory: 66
    default: 64
    }
  }
}
