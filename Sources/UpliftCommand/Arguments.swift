package import Uplift

/// What the command line says, checked word by word; what it means is ``Invocation``'s.
package struct Arguments: Equatable, Sendable {
  package var command: CommandName = .up
  package var resources: String?
  package var data: String?
  package var database: String?
  package var seed: String?
  package var migrations: String?
  package var target: Version?
  package var wait: Duration?
  package var ifMissing: Upgrader.IfMissing = .seed
  package var progress: ProgressChoice = .auto
  package var isJSON = false
  package var isQuiet = false
  package var wantsExitCode = false

  package init() {}
}

/// What the command can be asked to do; `help` and `version` are options as well.
package enum CommandName: String, CaseIterable, Sendable {
  case up, status, help, version
}

/// When the progress of an upgrade is shown.
package enum ProgressChoice: String, CaseIterable, Sendable {
  case auto, always, never
}

extension Arguments {
  /// Reads the words behind the program's own name.
  ///
  /// `--help` and `--version` end the reading: what comes behind them does not matter.
  package init(_ words: [String]) throws(CommandLineError) {
    self.init()
    var rest = words[...]
    var seen: [Option] = []
    var command: CommandName?
    var hasOptions = true
    while let word = rest.popFirst() {
      if hasOptions, word == "--" {
        hasOptions = false
      } else if hasOptions, word.hasPrefix("-"), word != "-" {
        let written = try WrittenOption(word)
        if written.option == .help || written.option == .version {
          self.command = written.option == .help ? .help : .version
          return
        }
        guard !seen.contains(written.option) else { throw .repeatedOption(written.option) }
        seen.append(written.option)
        try take(written.option, try written.value(or: &rest))
      } else if let command {
        throw .unexpectedArgument(word, after: command)
      } else {
        command = try CommandName(word: word)
      }
    }
    self.command = command ?? .up
    if wantsExitCode, self.command != .status {
      throw .notForCommand(.exitCode, self.command)
    }
  }

  private mutating func take(_ option: Option, _ value: String) throws(CommandLineError) {
    switch option {
    case .resources: resources = value
    case .data: data = value
    case .database: database = value
    case .seed: seed = value
    case .migrations: migrations = value
    case .target:
      guard let version = Version(value) else { throw .notAVersion(value) }
      target = version
    case .wait:
      guard let duration = Duration(seconds: value) else { throw .notSeconds(value) }
      wait = duration
    case .ifMissing:
      ifMissing = try choose(value, for: option, from: Upgrader.IfMissing.choices)
    case .progress:
      let choices = ProgressChoice.allCases.map { ($0.rawValue, $0) }
      progress = try choose(value, for: option, from: choices)
    case .json: isJSON = true
    case .quiet: isQuiet = true
    case .exitCode: wantsExitCode = true
    case .help, .version: break
    }
  }

  private func choose<Choice>(
    _ value: String, for option: Option, from choices: [(name: String, choice: Choice)]
  ) throws(CommandLineError) -> Choice {
    if let found = choices.first(where: { $0.name == value }) { return found.choice }
    let names = choices.map(\.name)
    throw .unknownValue(option, value, choices: names, meant: NearMiss.of(value, among: names))
  }
}

extension CommandName {
  fileprivate init(word: String) throws(CommandLineError) {
    guard let command = CommandName(rawValue: word), command != .version else {
      let names = ["up", "status", "help", Option.version.name, Option.help.name]
      throw .unknownCommand(word, meant: NearMiss.of(word, among: names))
    }
    self = command
  }
}

extension Upgrader.IfMissing {
  fileprivate static var choices: [(name: String, choice: Self)] {
    [("seed", .seed), ("empty", .empty), ("fail", .fail)]
  }
}
