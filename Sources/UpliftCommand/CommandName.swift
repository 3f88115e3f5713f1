/// What the command can be asked to do; `help` and `version` are options as well.
package enum CommandName: String, CaseIterable, Sendable {
  case up, status, help, version

  /// One line that says what it does.
  package var summary: String {
    switch self {
    case .up: "make the database if need be, run the pending scripts"
    case .status: "say what is there and what is pending, change nothing"
    case .help: "this page, or the options of a verb"
    case .version: Option.version.row.help
    }
  }
}

extension CommandName {
  init(word: String) throws(CommandLineError) {
    if let command = CommandName(rawValue: word), command != .version {
      self = command
      return
    }
    if let advice = Synonym.advice(forVerb: word) { throw .borrowedCommand(word, advice: advice) }
    let names = ["up", "status", "help", Option.version.name, Option.help.name]
    throw .unknownCommand(word, meant: NearMiss.of(word, among: names))
  }
}
