package import Uplift
package import UpliftRelease

/// The command line, checked word by word.
///
/// ``Invocation`` decides what it means: which database, seed and scripts.
package struct Arguments: Equatable, Sendable {
  package var verb: Verb = .up
  /// The verb whose help is wanted; nil for the overview.
  package var topic: Verb?
  package var resources: String?
  package var data: String?
  package var database: String?
  package var seed: String?
  package var migrations: String?
  package var target: Version?
  /// The upgrader's options; those that are not given keep its defaults.
  package var options = Upgrader.Options()
  package var progress: ProgressChoice = .auto
  package var isJSON = false
  package var isQuiet = false
  package var wantsExitCode = false
  package var verifies = false
  /// The version that `adopt` sets; nil if it finds it out itself.
  package var adoptedVersion: Version?
  /// The words after `uplift new`.
  package var words: [String] = []
  /// The tables to refresh, with commas between them.
  package var refresh: String?
  /// The directory of another tool's scripts, which `new` takes over.
  package var importing: String?
  /// The version of `--to`.
  package var backupVersion: Version?
  /// The files of `--load-extension`.
  package var extensions: [String] = []
  /// The directories of `--fixtures`.
  package var fixtures: [String] = []
  /// The directory of `--each`.
  package var each: String?
  /// How many databases of `--each` are worked on at a time.
  package var jobs = 1
  package var recordsScripts = false
  package var isStrict = false
  /// The value of `--keep`, which depends on the verb.
  private var keep: String?
  package var bake = Upgrader.BakeOptions()
  package var rehearsal = Upgrader.RehearseOptions()

  package init() {}
}

extension Arguments {
  /// Reads the words after the program's name.
  ///
  /// Reading stops at `--help` and `--version`; the words after them are ignored. After `adopt`,
  /// `--version` takes a value.
  ///
  /// If the command is a part of a program, `programsUpgrader` is the upgrader of the program, and
  /// its options are the defaults.
  package init(_ words: [String], of programsUpgrader: Upgrader? = nil) throws(CommandLineError) {
    self.init()
    if let programsUpgrader { options = programsUpgrader.options }
    var rest = words[...]
    var seen: [Option] = []
    var verb: Verb?
    var hasOptions = true
    while let word = rest.popFirst() {
      if hasOptions, word == "--" {
        hasOptions = false
      } else if hasOptions, word.hasPrefix("-"), word != "-" {
        let written = try WrittenOption(word)
        if written.isVerb(after: verb) {
          self.verb = written.option == .help ? .help : .version
          topic = topic ?? (verb == .help ? nil : verb)
          return
        }
        guard Self.repeatable.contains(written.option) || !seen.contains(written.option) else {
          throw .repeatedOption(written.option)
        }
        seen.append(written.option)
        try take(written.option, try written.value(or: &rest))
      } else if verb == .help, topic == nil {
        topic = try Verb(word: word)
      } else if verb == .new {
        self.words.append(word)
      } else if let verb {
        throw .unexpectedArgument(word, after: verb)
      } else {
        verb = try Verb(word: word)
      }
    }
    self.verb = verb ?? .up
    for option in seen where self.verb != .help && !option.row.verbs.contains(self.verb) {
      throw .notForVerb(option, self.verb)
    }
    if programsUpgrader != nil, !self.verb.isForRelease,
      let option = seen.first(where: { Self.shipping.contains($0) })
    {
      throw .notForProgram(option)
    }
    try checkTogether(seen)
    if let keep { try take(keep: keep) }
    keep = nil
  }

  /// The value of `--keep`: for `up` the number of backups, for `bake` the directory of old seeds.
  private mutating func take(keep value: String) throws(CommandLineError) {
    guard verb == .up else { return bake.archive = value }
    guard let count = Int(value), (1...1_000_000).contains(count),
      value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw .notACount(value) }
    options.backup?.keep = count
  }

  package static let repeatable: [Option] = [.fixtures, .loadExtension]

  /// How many databases may be worked on at a time: each job is a thread with a few open files.
  package static let jobCounts = 1...64

  /// The options that name the resources and the data directory.
  ///
  /// A program that has the command as a part brings these itself. There, only `new`, `check` and
  /// `bake` accept these options, because they work on the files in the program's sources.
  package static let shipping: [Option] = [.resources, .data, .seed, .migrations]

  /// Refuses options that exclude each other, and a verb or an option without what it needs.
  private func checkTogether(_ seen: [Option]) throws(CommandLineError) {
    if verb == .new, words.isEmpty, refresh == nil, importing == nil { throw .noWords }
    if importing != nil, let word = words.first { throw .wordBesideImport(word) }
    let pairs: [(Option, Option)] = [
      (.content, .output), (.content, .check), (.output, .check), (.output, .keep),
      (.check, .keep), (.content, .keep), (.content, .target), (.import, .refresh),
      (.each, .data), (.each, .database), (.each, .ifMissing), (.each, .verify),
    ]
    for (one, other) in pairs where seen.contains(one) && seen.contains(other) {
      throw .exclusiveOptions(one, other)
    }
    if verb == .restore, !seen.contains(.backup) { throw .noBackups }
    if verb == .up, seen.contains(.keep), !seen.contains(.backup) {
      throw .neededOption(.backup, for: .keep)
    }
    if seen.contains(.keepCopy), !seen.contains(.in) { throw .neededOption(.in, for: .keepCopy) }
    if seen.contains(.jobs), !seen.contains(.each) { throw .neededOption(.each, for: .jobs) }
    if verb == .bake, seen.contains(.target), !seen.contains(.output) {
      throw .neededOption(.output, for: .target)
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
      guard let version = Version(value) else { throw .notAVersion(option, value) }
      target = version
    case .wait: options.patience = try seconds(value, for: option)
    case .commitInterval: options.commitInterval = try seconds(value, for: option)
    case .ifMissing:
      options.ifMissing = try choose(value, for: option, from: Upgrader.IfMissing.choices)
    case .foreignKeys:
      options.foreignKeys = try choose(value, for: option, from: Upgrader.ForeignKeyCheck.choices)
    case .progress: progress = try choose(value, for: option, from: ProgressChoice.choices)
    case .doubleQuotedStrings: options.doubleQuotedStrings = true
    case .skipDuplicates: options.skipsDuplicates = true
    case .refresh: refresh = value
    case .import: importing = value
    case .to:
      // A database from before Uplift has the version 0, and may have a backup.
      guard let version = value == "0" ? .zero : Version(value) else {
        throw .notAVersion(option, value)
      }
      backupVersion = version
    case .in: rehearsal.directory = value
    case .keepCopy: rehearsal.keepsCopy = true
    case .fixtures: fixtures.append(value)
    case .loadExtension: extensions.append(value)
    case .each: each = value
    case .jobs:
      guard let count = Int(value), Self.jobCounts.contains(count),
        value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
      else { throw .notAJobCount(value) }
      jobs = count
    case .lock: recordsScripts = true
    case .strict: isStrict = true
    case .content: bake.hasNewContent = true
    case .empty: bake.beginsEmpty = true
    case .output: bake.output = value
    case .keep: keep = value
    case .backup: options.backup = Upgrader.Backup(directory: value)
    case .schema: bake.schema = value
    case .check: bake.isCheck = true
    case .json: isJSON = true
    case .quiet: isQuiet = true
    case .exitCode: wantsExitCode = true
    case .verify: verifies = true
    case .version:
      guard let version = Version(value) else { throw .notAVersion(option, value) }
      adoptedVersion = version
    case .help: break
    }
  }

  private func seconds(_ value: String, for option: Option) throws(CommandLineError) -> Duration {
    guard let duration = Duration(seconds: value) else { throw .notSeconds(option, value) }
    return duration
  }

  private func choose<Choice>(
    _ value: String, for option: Option, from choices: [(name: String, choice: Choice)]
  ) throws(CommandLineError) -> Choice {
    if let found = choices.first(where: { $0.name == value }) { return found.choice }
    let names = choices.map(\.name)
    throw .unknownValue(option, value, choices: names, meant: NearMiss.of(value, among: names))
  }
}

extension Verb {
  /// Reads a verb, and refuses `version`, because it is an option only.
  fileprivate init(word: String) throws(CommandLineError) {
    if let verb = Verb(rawValue: word), verb != .version {
      self = verb
      return
    }
    if let advice = Synonym.advice(forVerb: word) { throw .synonymOfVerb(word, advice: advice) }
    let names = [
      "up", "status", "rehearse", "restore", "adopt", "new", "check", "bake", "help",
      Option.version.name,
      Option.help.name,
    ]
    throw .unknownVerb(word, meant: NearMiss.of(word, among: names))
  }
}
