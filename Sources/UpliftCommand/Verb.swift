/// The verbs of the command, and `version`, which is only an option.
package enum Verb: String, CaseIterable, Sendable {
  case up, status, rehearse, restore, adopt, new, bake, check, release, help, version

  /// True for the verbs of a release, which have no database and work on the seed and the scripts.
  var isForRelease: Bool {
    switch self {
    case .new, .bake, .check, .release: true
    default: false
    }
  }

  /// The verbs that a user can type.
  package static let typed = allCases.filter { $0 != .version }

  /// What it does, in one line of help.
  package var summary: String {
    switch self {
    case .up: "make the database if it is missing, run pending scripts"
    case .status: "show the version and what is pending, change nothing"
    case .rehearse: "run the pending scripts on a copy of the database"
    case .restore: "put back a backup that up --backup made"
    case .adopt: "find out the version of a database that has lost it"
    case .new: "write the next script"
    case .check: "try everything before a release"
    case .release: "check, then record the release"
    case .bake: "make the seed anew from itself and the scripts"
    case .help: "list the verbs, or the options of a verb"
    case .version: "the versions of uplift and of SQLite"
    }
  }
}
