/// The verbs of the command, in the order of the help, and `version`, which is only an option.
package enum Verb: String, CaseIterable, Sendable {
  case initialize = "init"
  case new, bake, check, release, up, status, rehearse, restore, adopt, help, version

  /// The verbs that a user can type.
  package static let typed = allCases.filter { $0 != .version }

  /// The verbs that have no database and work on the seed and the scripts.
  var isForRelease: Bool { [.initialize, .new, .bake, .check, .release].contains(self) }

  /// What it does, in one line of help.
  package var summary: String {
    switch self {
    case .initialize: "make directories, an empty seed and a first script"
    case .new: "write the next script"
    case .bake: "run the scripts on the seed, which new users get"
    case .check: "try all scripts, on made-up rows too, and report faults"
    case .release: "check, then record what was released"
    case .up: "make the database if it is missing, run pending scripts"
    case .status: "show the version and what is pending, change nothing"
    case .rehearse: "run the pending scripts on a copy of the database"
    case .restore: "put back a backup that up --backup made"
    case .adopt: "find out the version of a database that has lost it"
    case .help: "list the verbs, or the options of a verb"
    case .version: "the versions of uplift and of SQLite"
    }
  }

  /// How it is written.
  package var usage: String {
    switch self {
    case .initialize: "uplift init NAME"
    case .new: "uplift new WORDS… | --refresh TABLE… | --import DIR"
    case .help: "uplift help [VERB]"
    case .version: "uplift --version"
    default: "uplift \(rawValue) [OPTIONS]"
    }
  }

  /// A command that its readers are likely to need.
  package var example: String? {
    switch self {
    case .initialize: "uplift init guestbook"
    case .new: "uplift new add home town"
    case .bake: "uplift bake --content"
    case .check: "uplift check --fixtures Tests/Databases"
    case .release: "uplift release"
    case .up: "uplift up --backup /var/backups/guestbook"
    case .status: "uplift status --exit-code --quiet || uplift up"
    case .rehearse: "uplift rehearse --in /mnt/scratch"
    case .restore: "uplift restore --backup /var/backups/guestbook --to 4"
    case .adopt: "uplift adopt --database recovered.db"
    case .help, .version: nil
    }
  }

  /// What a reader should know beside the options, in a line.
  package var note: String? {
    switch self {
    case .initialize: "Nothing is replaced: a directory of resources that holds a file is refused."
    case .new: "The number is the next, in the style of the directory."
    case .check: "Works on copies of the seed, released seeds and fixtures. A finding: exit 65."
    case .release: "Writes uplift.lock, and the seed and its schema to Released."
    case .rehearse: "Exits as up would: with 1 if a script fails, with 74 if there is no room."
    case .restore: "Stop the service first. What the database holds becomes a backup before."
    case .adopt: "Compares the schema with that of each version. If one fits, it is written."
    case .bake, .up, .status, .help, .version: nil
    }
  }
}
