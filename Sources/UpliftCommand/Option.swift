/// What can be written with two dashes; `rawValue` is what follows them.
package enum Option: String, CaseIterable, Sendable {
  case resources, data, database, seed, migrations, target, wait
  case ifMissing = "if-missing"
  case json, quiet, progress
  case exitCode = "exit-code"
  case help, version

  /// True where a value follows, after a blank or after `=`.
  var takesValue: Bool {
    switch self {
    case .resources, .data, .database, .seed, .migrations, .target, .wait, .ifMissing, .progress:
      true
    case .json, .quiet, .exitCode, .help, .version: false
    }
  }

  package var name: String { "--" + rawValue }
}
