internal import Uplift

extension UpgradeError {
  /// The case's name, for programs.
  var kind: String {
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

  /// The version of the database now, where the error knows it.
  var reached: Version? {
    switch self {
    case .failed(let failure), .disk(_, _, let failure?): failure.reached
    case .busy(_, let reached), .cancelled(let reached): reached
    case .moved(_, let reached): reached
    case .newer(let database, _), .gap(let database, _): database
    default: nil
    }
  }
}
