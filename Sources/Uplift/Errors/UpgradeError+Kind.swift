extension UpgradeError {
  /// The name of the case, which is also the `kind` in the command's JSON.
  ///
  /// A name does not change from release to release.
  public var kind: String {
    switch self {
    case .scriptName: "scriptName"
    case .duplicate: "duplicate"
    case .mixedNumbers: "mixedNumbers"
    case .scriptText: "scriptText"
    case .targetNotShipped: "targetNotShipped"
    case .gap: "gap"
    case .seed: "seed"
    case .seedNewer: "seedNewer"
    case .preparation: "preparation"
    case .missing: "missing"
    case .failed: "failed"
    case .disk: "disk"
    case .busy: "busy"
    case .denied: "denied"
    case .readOnly: "readOnly"
    case .unreadable: "unreadable"
    case .tooManyFiles: "tooManyFiles"
    case .path: "path"
    case .sqlite: "sqlite"
    case .newer: "newer"
    case .invalid: "invalid"
    case .damaged: "damaged"
    case .unversioned: "unversioned"
    case .foreign: "foreign"
    case .backup(let backup) where backup.problem == .inUse: "busy"
    case .backup: "backup"
    case .orphaned: "orphaned"
    case .moved: "moved"
    case .cancelled: "cancelled"
    }
  }
}

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

extension UpgradeError {
  /// The version of the database after the error; nil if it was not read.
  public var reached: Version? {
    switch self {
    case .failed(let failure): failure.reached
    case .disk(let disk): disk.failure?.reached
    case .busy(let busy): busy.reached
    case .cancelled(let cancelled): cancelled.reached
    case .preparation(let preparation): preparation.reached
    case .moved(let moved): moved.reached
    case .newer(let newer): newer.database
    case .gap(let gap): gap.database
    default: nil
    }
  }
}

/// The facts of the error about a connection that could not be prepared.
extension UpgradeError {
  /// A connection that could not be prepared.
  public struct Preparation: Hashable, Sendable {
    /// The text of the error that ``Upgrader/Prepare`` has thrown, or SQLite's words.
    public let reason: String
    /// The path of the extension that the command should load; nil for a program's own code.
    public let extensionPath: String?
    /// The version of the database; nil if it was not read.
    public let reached: Version?
  }

  package static func preparation(
    _ reason: String, extensionPath: String? = nil, reached: Version? = nil
  ) -> UpgradeError {
    .preparation(Preparation(reason: reason, extensionPath: extensionPath, reached: reached))
  }

  /// The reason if SQLite was built without extensions.
  package static let noExtensions = "this SQLite was built without extensions"
}
