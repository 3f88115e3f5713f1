package import Uplift
package import UpliftSystem

extension ExitCode {
  /// What an error ends the command with; the signal is what asked it to stop, if one did.
  package init(_ error: UpgradeError, signal: StopSignal?) {
    switch error {
    case .scriptName, .duplicate, .mixedNumbers, .scriptText, .targetNotShipped, .gap, .seed,
      .seedNewer:
      self = .resources
    case .missing, .path(_, .danglingLink), .path(_, .linkLoop), .path(_, .noWorkingDirectory):
      self = .missing
    case .failed: self = .scriptFailed
    case .disk, .sqlite: self = .disk
    case .busy, .tooManyFiles: self = .busy
    case .denied, .readOnly, .unreadable: self = .denied
    case .path: self = .usage
    case .newer: self = .newer
    case .invalid, .damaged, .unversioned, .foreign, .orphaned, .moved: self = .notOurs
    case .cancelled: self = signal == .interrupt ? .interrupted : .terminated
    }
  }
}
