package import Uplift
package import UpliftSystem

extension ExitCode {
  /// What an error ends the command with; the signal is what asked it to stop, if one did.
  package init(_ error: UpgradeError, signal: StopSignal?) {
    if case .cancelled = error, signal == .interrupt {
      self = .interrupted
    } else {
      self = ExitCode(rawValue: error.exitCode) ?? .scriptFailed
    }
  }
}
