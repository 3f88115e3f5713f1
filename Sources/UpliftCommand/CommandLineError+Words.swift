extension CommandLineError: CustomStringConvertible {
  /// One clause: what was found, and then what was wanted.
  package var description: String {
    switch self {
    case .notUTF8(let shown): "the argument \"\(shown)\" is not UTF-8"
    case .noArguments: "the arguments cannot be read, /proc is not mounted"
    case .unknownVerb(let word, _), .synonymOfVerb(let word, _):
      "no verb is called \"\(word)\""
    case .unexpectedArgument(let word, let verb):
      "\"\(word)\" is an unexpected argument, \(verb.rawValue) takes "
        + (verb == .help ? "one verb" : "only options")
    case .unknownOption(let name, _), .synonymOfOption(let name, _):
      "no option is called \"\(name)\""
    case .repeatedOption(let option): "\(option.name) is given twice"
    case .missingValue(let option): "\(option.name) has no value"
    case .emptyValue(let option): "the value of \(option.name) is empty"
    case .superfluousValue(let option, let value):
      "\(option.name) takes no value, \"\(value)\" is given"
    case .unknownValue(let option, let value, let choices, _):
      "\(option.name) is \"\(value)\", not \(Self.list(choices))"
    case .notAVersion(let option, let value):
      "\(option.name) is \"\(value)\", neither a number from 1 to 2147483647 nor a release like 1.4.2-1"
    case .notSeconds(let option, let value):
      "\(option.name) is \"\(value)\", not a number of seconds like 60 or 0.5"
    case .notACount(let value): "--keep is \"\(value)\", not a number of backups from 1 on"
    case .notAJobCount(let value): "--jobs is \"\(value)\", not a number from 1 to 64"
    case .notForVerb(let option, let verb):
      "\(option.name) is not for \(verb.rawValue)"
    case .notForProgram(let option): "\(option.name) is not for this program"
    case .noBackups: "restore has no directory of backups"
    case .noWords: "new has no words for the name of the script"
    case .wordBesideImport(let word): "\"\(word)\" is an unexpected word beside --import"
    case .exclusiveOptions(let one, let other): "\(one.name) and \(other.name) exclude each other"
    case .neededOption(let needed, let option): "\(option.name) is given without \(needed.name)"
    case .noDatabase: "the options do not name the database"
    case .noScripts: "the options name neither scripts nor a seed"
    }
  }

  /// One line that says what to do.
  package var remedy: String {
    switch self {
    case .notUTF8: "use names that are UTF-8"
    case .noArguments: "mount /proc, then run this again"
    case .unknownVerb(_, let meant?), .unknownOption(_, let meant?),
      .unknownValue(_, _, _, let meant?):
      "did you mean \(meant)?"
    case .unknownVerb(let word, nil) where Self.isPath(word):
      "put the name of its option in front of it, as in --database \(word)"
    case .synonymOfVerb(_, let advice), .synonymOfOption(_, let advice): advice
    case .unknownVerb(_, nil): "uplift help lists the verbs"
    case .unknownOption(_, nil): "uplift help VERB lists the options"
    case .unexpectedArgument(_, .help): "remove it"
    case .unexpectedArgument: "remove it, or put the name of its option in front of it"
    case .repeatedOption: "give it once"
    case .missingValue(let option):
      "write \(option.name) \(option.placeholder), or \(option.name)=\(option.placeholder) "
        + "if the value begins with a dash"
    case .emptyValue: "give it a value, or leave the option out"
    case .superfluousValue(let option, _): "write \(option.name) alone"
    case .unknownValue(_, _, let choices, nil): "write \(Self.list(choices))"
    case .notAVersion: "write the number of a script"
    case .notSeconds: "write digits, with a point before a fraction"
    case .notACount: "write digits, as in --keep 2"
    case .notAJobCount: "write digits, as in --jobs 4"
    case .notForVerb(let option, _):
      "remove it, or use it with \(Self.list(option.row.verbs.map { "uplift \($0.rawValue)" }))"
    case .notForProgram: "leave it out: the program brings its own seed and scripts"
    case .noBackups: "name it with --backup DIR, as for uplift up"
    case .noWords: "say what the script does, as in uplift new add home town"
    case .wordBesideImport: "remove it: the scripts keep the words of their names"
    case .exclusiveOptions: "use one of them"
    case .neededOption(let needed, _):
      "write \(needed.name) \(needed.placeholder) too"
    case .noScripts: "name them with --migrations and --seed, or their directory with --resources"
    case .noDatabase: "name it with --database, or its directory with --data and a seed"
    }
  }

  private static func list(_ choices: [String]) -> String {
    guard let last = choices.last, choices.count > 1 else { return choices.first ?? "" }
    return choices.dropLast().joined(separator: ", ") + " or " + last
  }

  /// True if the word looks like a path, not like a verb.
  private static func isPath(_ word: String) -> Bool {
    word.utf8.contains(UInt8(ascii: "/")) || word.utf8.dropFirst().contains(UInt8(ascii: "."))
  }
}
