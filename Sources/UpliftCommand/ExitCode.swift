/// What the process ends with: one number for each thing that a caller would do next.
package enum ExitCode: Int32, Sendable {
  /// The database is at the target.
  case success = 0
  /// A script failed; the database is at the last good version.
  case scriptFailed = 1
  /// `status --exit-code`: something is pending.
  case pending = 10
  /// The command line is wrong.
  case usage = 64
  /// The scripts or the seed are wrong.
  case resources = 65
  /// The seed, the scripts or the database are not there.
  case missing = 66
  /// The disk failed or is full.
  case disk = 74
  /// The database stayed busy, or too many files were open; try again.
  case busy = 75
  /// The database is newer than the target.
  case newer = 76
  /// No permission, or read-only.
  case denied = 77
  /// Not ours to touch.
  case notOurs = 78
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM, or the terminal is gone.
  case terminated = 143
}
