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
