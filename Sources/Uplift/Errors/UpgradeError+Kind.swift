/// Facts about an error that a program can use without a `switch` over the cases.
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
    case .orphaned: "orphaned"
    case .moved: "moved"
    case .cancelled: "cancelled"
    }
  }

  /// The exit code for a service that stops because of this error.
  ///
  /// With it a supervisor can tell, for example, a busy database from a script that is wrong.
  ///
  /// | code | meaning |
  /// |---|---|
  /// | 1 | a script failed; the database is at the last good version |
  /// | 64 | the path cannot name a database |
  /// | 65 | the scripts or the seed are wrong |
  /// | 66 | the seed, the scripts, the database or the working directory are missing |
  /// | 74 | the disk failed or is full, or SQLite reported another error |
  /// | 75 | another process held the database, or too many files are open; try again |
  /// | 76 | the database is newer than the target |
  /// | 77 | no permission, or read-only |
  /// | 78 | the database must not be changed: damaged, unversioned, foreign, orphaned journal |
  /// | 143 | cancelled |
  public var exitCode: Int32 {
    switch self {
    case .scriptName, .duplicate, .mixedNumbers, .scriptText, .targetNotShipped, .gap, .seed,
      .seedNewer:
      65
    case .missing, .path(_, .danglingLink), .path(_, .linkLoop), .path(_, .noWorkingDirectory): 66
    case .failed: 1
    case .disk, .sqlite: 74
    case .busy, .tooManyFiles: 75
    case .denied, .readOnly, .unreadable: 77
    case .path: 64
    case .newer: 76
    case .invalid, .damaged, .unversioned, .foreign, .orphaned, .moved: 78
    case .cancelled: 143
    }
  }

  /// The version of the database after the error; nil if it was not read.
  public var reached: Version? {
    switch self {
    case .failed(let failure), .disk(_, _, let failure?): failure.reached
    case .busy(_, let reached), .cancelled(let reached): reached
    case .moved(_, let reached): reached
    case .newer(let database, _), .gap(let database, _): database
    default: nil
    }
  }
}
