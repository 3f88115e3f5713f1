package import Uplift
package import UpliftRelease

/// The command line, checked word by word.
///
/// ``Invocation`` decides what it means: which database, seed and scripts.
package struct Arguments: Equatable, Sendable {
  package var verb: Verb = .up
  /// The verb whose help is wanted; nil for the overview.
  package var topic: Verb?
  /// The words after `uplift new`.
  package var words: [String] = []
  /// The upgrader's options; those that are not given keep its defaults.
  package var options = Upgrader.Options()

  // Each of these is stored by a row of the table of options.

  package var resources: String?
  package var data: String?
  package var database: String?
  package var seed: String?
  package var migrations: String?
  package var target: Version?
  package var isJSON = false
  package var isQuiet = false
  package var wantsExitCode = false
  package var verifies = false
  /// The version that `adopt` sets; nil if it finds it out itself.
  package var adoptedVersion: Version?
  /// The tables to refresh, with commas between them.
  package var refresh: String?
  /// The directory of another tool's scripts, which `new` takes over.
  package var importing: String?
  package var backup: String?
  package var keep: Int?
  package var backupVersion: Version?
  package var backupFile: String?
  package var extensions: [String] = []
  package var fixtures: [String] = []
  package var each: String?
  package var jobs: Int?
  package var released: String?
  package var bake = Upgrader.BakeOptions()
  package var rehearsal = Upgrader.RehearseOptions()

  package init() {}
}

extension Arguments {
  /// Reads the words after the program's name.
  ///
  /// Reading stops at `--help` and `--version`; the words after them are ignored. If the command is
  /// a part of a program, `programsUpgrader` is the upgrader of the program, and its options are the
  /// defaults.
  package init(_ words: [String], of programsUpgrader: Upgrader? = nil) throws(CommandLineError) {
    self.init()
    if let programsUpgrader { options = programsUpgrader.options }
    var rest = words[...]
    var given: [(name: String, value: String)] = []
    var verb: Verb?
    var hasOptions = true
    while let word = rest.popFirst() {
      if hasOptions, word == "--" {
        hasOptions = false
      } else if hasOptions, word.hasPrefix("-"), word != "-" {
        let (name, value) = try Self.option(word, &rest)
        if name == "--help" || name == "--version" {
          self.verb = name == "--help" ? .help : .version
          topic = topic ?? (verb == .help ? nil : verb)
          return
        }
        given.append((name, value))
      } else if verb == .help, topic == nil {
        topic = try Self.verb(word)
      } else if verb == .new {
        self.words.append(word)
      } else if let verb {
        throw CommandLineError(
          "\"\(word)\" is an unexpected argument, \(verb.rawValue) takes "
            + (verb == .help ? "one verb" : "only options"),
          remedy: verb == .help
            ? "remove it" : "remove it, or put the name of its option in front of it")
      } else {
        verb = try Self.verb(word)
      }
    }
    guard verb != nil || given.isEmpty else {
      throw CommandLineError(
        "the command has no verb",
        remedy: "write one first, as in uplift up; uplift help lists them")
    }
    // A bare word changes no database.
    self.verb = verb ?? .help
    try store(given)
    let names = Set(given.map(\.name))
    if programsUpgrader != nil, !self.verb.isForRelease,
      let name = Self.shipping.first(where: names.contains)
    {
      throw .notForProgram(name)
    }
    if self.verb != .help { try checkTogether(names) }
    if let backup { options.backup = Upgrader.Backup(directory: backup) }
    if let keep { options.backup?.keep = keep }
  }

  /// The options that name the resources and the data directory.
  ///
  /// A program that has the command as a part brings these itself. There, only `new`, `check` and
  /// `bake` accept these options, because they work on the files in the program's sources.
  package static let shipping = ["--resources", "--data", "--seed", "--migrations"]

  /// Reads a verb; `version` is an option only.
  private static func verb(_ word: String) throws(CommandLineError) -> Verb {
    guard let verb = Verb(rawValue: word), verb != .version else { throw .unknownVerb(word) }
    return verb
  }

  /// Reads an option, and its value from this word or from the next; empty if it takes none.
  ///
  /// The next word is not a value if it begins with a dash: in `--data --json` the value is missing.
  private static func option(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(CommandLineError) -> (name: String, value: String) {
    let short = ["-h": "--help", "-q": "--quiet", "-V": "--version"]
    // Searched by bytes, because each character would cost a look-up in Unicode's tables.
    let mark = word.utf8.firstIndex(of: UInt8(ascii: "="))
    let written = String(word[..<(mark ?? word.endIndex)])
    let name = short[written] ?? written
    let attached = mark.map { String(word[word.utf8.index(after: $0)...]) }
    let option = Option.table.first { $0.name == name }
    guard option != nil || name == "--help" || name == "--version" else {
      throw .unknownOption(written)
    }
    guard let placeholder = option?.value?.placeholder else {
      guard let attached else { return (name, "") }
      throw CommandLineError(
        "\(name) takes no value, \"\(attached)\" is given", remedy: "write \(name) alone")
    }
    let next = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    guard let value = attached ?? next else {
      throw CommandLineError(
        "\(name) has no value",
        remedy:
          "write \(name) \(placeholder), or \(name)=\(placeholder) if the value begins with a dash")
    }
    guard !value.isEmpty else {
      throw CommandLineError(
        "the value of \(name) is empty", remedy: "give it a value, or leave the option out")
    }
    if attached == nil { rest = rest.dropFirst() }
    return (name, value)
  }

  /// Stores the values of the options that the verb has.
  private mutating func store(_ given: [(name: String, value: String)]) throws(CommandLineError) {
    var seen: Set<String> = []
    for (name, value) in given {
      let rows = Option.table.filter { $0.name == name }
      guard
        let option = rows.first(where: { $0.verbs.contains(verb) })
          ?? (verb == .help ? rows.first : nil)
      else {
        let verbs = rows.flatMap(\.verbs).map { "uplift \($0.rawValue)" }
        throw CommandLineError(
          "\(name) is not for \(verb.rawValue)",
          remedy: "remove it, or use it with \(Self.list(verbs))")
      }
      guard option.isRepeatable || seen.insert(name).inserted else {
        throw CommandLineError("\(name) is given twice", remedy: "give it once")
      }
      guard option.store(&self, value) else { throw Self.refused(option, value) }
    }
  }

  /// The error for a value that an option does not accept.
  private static func refused(_ option: Option, _ value: String) -> CommandLineError {
    let (wanted, remedy) =
      switch option.value {
      case .version:
        (
          "neither a number from 1 to 2147483647 nor a release like 1.4.2-1",
          "write the number of a script"
        )
      case .seconds:
        (
          "not a number of seconds like 60 or 0.5", "write digits, with a point before a fraction"
        )
      case .count(let most):
        ("not a number from 1 to \(most)", "write digits, as in \(option.name) 2")
      case .oneOf(let words):
        (
          "not \(list(words))",
          NearMiss.of(value, among: words).map { "did you mean \($0)?" } ?? "write \(list(words))"
        )
      default: ("not what is wanted", "see uplift help")
      }
    return CommandLineError("\(option.name) is \"\(value)\", \(wanted)", remedy: remedy)
  }

  /// Refuses options that exclude each other, and a verb or an option without what it needs.
  private func checkTogether(_ names: Set<String>) throws(CommandLineError) {
    if verb == .new, words.isEmpty, refresh == nil, importing == nil {
      throw CommandLineError(
        "new has no words for the name of the script",
        remedy: "say what the script does, as in uplift new add home town")
    }
    if importing != nil, let word = words.first {
      throw CommandLineError(
        "\"\(word)\" is an unexpected word beside --import",
        remedy: "remove it: the scripts keep the words of their names")
    }
    let exclusive = [
      ("content", "output"), ("content", "check"), ("output", "check"), ("content", "target"),
      ("import", "refresh"),
      ("each", "data"), ("each", "database"), ("each", "if-missing"), ("each", "verify"),
      ("to", "from"),
    ]
    for (one, other) in exclusive where names.isSuperset(of: ["--" + one, "--" + other]) {
      throw CommandLineError(
        "--\(one) and --\(other) exclude each other", remedy: "use one of them")
    }
    if verb == .restore, backup == nil {
      throw CommandLineError(
        "restore has no directory of backups", remedy: "name it with --backup DIR, as for uplift up"
      )
    }
    let needs: [(option: String, needed: String, placeholder: String, verb: Verb?)] = [
      ("keep", "backup", "DIR", .up), ("jobs", "each", "DIR", nil),
      ("target", "output", "FILE", .bake),
    ]
    for (option, needed, placeholder, verb) in needs
    where names.contains("--" + option) && !names.contains("--" + needed)
      && (verb == nil || verb == self.verb)
    {
      throw CommandLineError(
        "--\(option) is given without --\(needed)", remedy: "write --\(needed) \(placeholder) too")
    }
  }

  private static func list(_ choices: [String]) -> String {
    guard let last = choices.last, choices.count > 1 else { return choices.first ?? "" }
    return choices.dropLast().joined(separator: ", ") + " or " + last
  }
}
