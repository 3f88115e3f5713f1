package import Uplift
package import UpliftSystem

extension ExitCode {
  /// The exit code for an error of the library, and for the signal that asked to stop, if any.
  package init(_ error: UpgradeError, signal: StopSignal?) {
    if error.kind == .cancelled, signal == .interrupt {
      self = .interrupted
    } else {
      self = ExitCode(rawValue: error.exitCode) ?? .scriptFailed
    }
  }
}
