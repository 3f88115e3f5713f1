/// The command's exit codes.
///
/// A caller can decide by the code what to do next.
package enum ExitCode: Int32, CaseIterable, Sendable {
  /// The command succeeded; after `up`, the database is at the target.
  case success = 0
  /// A script failed; the database is at the last good version.
  case scriptFailed = 1
  /// `status --exit-code`: something is pending.
  case pending = 10
  /// `status --verify`: the schema is not what the scripts make.
  case different = 11
  /// The command line is wrong, or a path or name in it cannot be used.
  case usage = 64
  /// The scripts or the seed are wrong.
  case resources = 65
  /// The seed, the scripts, the database or another file that is named is not there.
  case missing = 66
  /// The disk failed or is full.
  case disk = 74
  /// The database stayed busy, or too many files were open; try again.
  case busy = 75
  /// The database or the backup is newer than the target.
  case newer = 76
  /// No permission, or read-only.
  case denied = 77
  /// The database is damaged, unversioned or another application's, or its journal is orphaned.
  ///
  /// The code also stands for a database whose file was replaced during the upgrade, and for a
  /// backup that is damaged or does not fit the database.
  case unusable = 78
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM, or SIGHUP because the terminal was closed.
  case terminated = 143
}

extension ExitCode {
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
    case .newer: "newer than the target"
    case .denied: "no permission, or read-only"
    case .unusable: "damaged, or without version"
    case .interrupted, .terminated: "SIGINT, SIGTERM"
    }
  }
}
