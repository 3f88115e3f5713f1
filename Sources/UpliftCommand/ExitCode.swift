package import Uplift
package import UpliftSystem

/// The command's exit codes.
///
/// A caller can decide by the code what to do next.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case scriptFailed = 1
  case pending = 10
  case different = 11
  case usage = 64
  case resources = 65
  case missing = 66
  case disk = 74
  case busy = 75
  case newer = 76
  case denied = 77
  case unusable = 78
  case interrupted = 130
  case terminated = 143

  /// The exit code for an error of the library, and for the signal that asked to stop, if any.
  package init(_ error: UpgradeError, signal: StopSignal?) {
    if error.kind == .cancelled, signal == .interrupt {
      self = .interrupted
    } else {
      self = ExitCode(rawValue: error.exitCode) ?? .scriptFailed
    }
  }

  /// What it means, in at most 33 columns of the help.
  package var meaning: String {
    switch self {
    case .success: "success"
    case .scriptFailed: "a script failed"
    case .pending: "status --exit-code: pending"
    case .different: "status --verify: schema differs"
    case .usage: "the command line is wrong"
    case .resources: "the scripts or the seed are wrong"
    case .missing: "seed, scripts or database missing"
    case .disk: "the disk failed or is full"
    case .busy: "stayed busy; try again"
    case .newer: "newer, or too old"
    case .denied: "no permission, or read-only"
    case .unusable: "damaged, or without version"
    case .interrupted: "stopped by SIGINT"
    case .terminated: "stopped by SIGTERM or SIGHUP"
    }
  }
}
