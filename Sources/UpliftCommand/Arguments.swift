package import Uplift
package import UpliftRelease

/// The command line, checked word by word.
package struct Arguments: Equatable, Sendable {
  package var verb: Verb = .up
  /// The verb whose help is wanted; nil for the overview.
  package var topic: Verb?
  /// The words after `uplift new`, or the name after `uplift init`.
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
  /// How long `status` waits for the target.
  package var waiting: Duration?
  package var verifies = false
  package var refresh: String?
  package var overwrites = false
  package var importing: String?
  package var backup: String?
  package var keep: Int?
  /// The version that `restore` goes back to, or that `adopt` may write.
  package var to: Version?
  package var from: String?
  package var extensions: [String] = []
  package var fixtures: [String] = []
  package var released: String?
  package var each: String?
  package var jobs: Int?
  package var bake = Upgrader.BakeOptions()
  package var copyDirectory: String?

  package init() {}
}

extension Arguments {
  /// Reads the words after the program's name.
  ///
  /// Reading stops at `--help` and `--version`; the words after them are ignored. If the command is
  /// a part of a program, `program` is its upgrader, whose options are the defaults.
  package init(_ words: [String], of program: Upgrader? = nil) throws(ErrorReport) {
    self.init()
    if let program { options = program.options }
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
      } else if verb == .new || verb == .initialize && self.words.isEmpty {
        self.words.append(word)
      } else if let verb {
        throw .unexpected(word, verb)
      } else {
        verb = try Self.verb(word)
      }
    }
    guard verb != nil || given.isEmpty else {
      throw .usage(
        "the command has no verb",
        fix: "write one first, as in uplift up; uplift help lists them")
    }
    // A bare word changes no database.
    self.verb = verb ?? .help
    try store(given, isOwn: program != nil)
    if self.verb != .help { try checkTogether(Set(given.map(\.name))) }
    if let backup { options.backup = Upgrader.Backup(directory: backup) }
    if let keep { options.backup?.keep = keep }
  }

  /// Reads a verb; `version` is an option only.
  private static func verb(_ word: String) throws(ErrorReport) -> Verb {
    guard let verb = Verb(rawValue: word), verb != .version else { throw .unknownVerb(word) }
    return verb
  }

  /// Reads an option, and its value from this word or from the next; empty if it takes none.
  ///
  /// The next word is not a value if it begins with a dash: in `--data --json` the value is missing.
  private static func option(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(ErrorReport) -> (name: String, value: String) {
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
      throw .usage("\(name) takes no value, \"\(attached)\" is given", fix: "write \(name) alone")
    }
    let next = rest.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    guard let value = attached ?? next, !value.isEmpty else {
      throw .usage(
        "\(name) has no value",
        fix:
          "write \(name) \(placeholder), or \(name)=\(placeholder) if the value begins with a dash")
    }
    if attached == nil { rest = rest.dropFirst() }
    return (name, value)
  }

  /// Stores the values of the options that the verb has.
  private mutating func store(
    _ given: [(name: String, value: String)], isOwn: Bool
  ) throws(ErrorReport) {
    if isOwn, verb == .initialize { throw .notForProgram(verb.rawValue) }
    var seen: Set<String> = []
    for (name, value) in given {
      let rows = Option.table.filter { $0.name == name }
      guard
        let option = rows.first(where: { verb == .help || $0.verbs.contains(verb) })
      else {
        let verbs = rows.flatMap(\.verbs).map { "uplift \($0.rawValue)" }
        throw .usage(
          "\(name) is not for \(verb.rawValue)",
          fix: "remove it, or use it with \(verbs.alternatives)")
      }
      if isOwn, verb != .help, !Option.of(verb, isOwn: true).contains(where: { $0.name == name }) {
        throw .notForProgram(name)
      }
      guard option.isRepeatable || seen.insert(name).inserted else {
        throw .usage("\(name) is given twice", fix: "give it once")
      }
      guard option.store(&self, value) else { throw .refused(option, value) }
    }
  }

  /// Refuses options that exclude each other, and a verb or an option without what it needs.
  private func checkTogether(_ names: Set<String>) throws(ErrorReport) {
    if verb == .new, refresh == nil, importing == nil, words.allSatisfy(\.isBlank) {
      throw .usage(
        "new has no words for the name of the script",
        fix: "say what the script does, as in uplift new add home town")
    }
    if verb == .initialize, words.isEmpty {
      throw .usage("init has no name", fix: "name the program, as in uplift init guestbook")
    }
    if importing != nil, let word = words.first {
      throw .usage(
        "\"\(word)\" is an unexpected word beside --import",
        fix: "remove it: the scripts keep the words of their names")
    }
    let exclusive = [
      ("content", "output"), ("content", "check"), ("output", "check"), ("content", "target"),
      ("import", "refresh"), ("to", "from"),
      ("each", "data"), ("each", "database"), ("each", "if-missing"), ("each", "verify"),
    ]
    for (one, other) in exclusive where names.isSuperset(of: ["--" + one, "--" + other]) {
      throw .usage("--\(one) and --\(other) exclude each other", fix: "use one of them")
    }
    if waiting != nil, each != nil {
      throw .usage(
        "status --wait and --each exclude each other", fix: "wait for each database by itself")
    }
    if verb == .restore, backup == nil {
      throw .usage(
        "restore has no directory of backups",
        fix: "name it with --backup DIR, as for uplift up")
    }
    let needs = [
      ("keep", "backup DIR", Verb.up), ("jobs", "each DIR", .up), ("target", "output FILE", .bake),
      ("overwrite", "refresh TABLE", .new), ("released", "refresh TABLE", .new),
      ("released", "content", .bake),
    ]
    for (option, needed, verb) in needs where verb == self.verb && names.contains("--" + option) {
      let name = "--" + needed.prefix { $0 != " " }
      if names.contains(name) { continue }
      throw .usage("--\(option) is given without \(name)", fix: "write --\(needed) too")
    }
  }
}
