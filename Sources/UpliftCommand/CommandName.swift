/// What the command can be asked to do: its verbs, and `version`, which is an option only.
package enum CommandName: String, CaseIterable, Sendable {
  case up, status, help, version

  /// What it does, in one line of help.
  package var summary: String {
    switch self {
    case .up: "make the database if need be, run the pending scripts"
    case .status: "say what is there and what is pending, change nothing"
    case .help: "this page, or the options of a verb"
    case .version: "the versions of uplift and of SQLite"
    }
  }
}
