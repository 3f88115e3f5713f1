internal import Uplift
internal import UpliftRelease

/// An option of the command.
///
/// The parser, the help, the man page and the completions are made from ``table``.
package struct Option: Sendable {
  /// The name with its two dashes.
  package let name: String
  /// Nil for an option that takes no value.
  package let value: Value?
  package let verbs: [Verb]
  /// At most 51 columns, so that a line of help fits a screen; a default is in brackets.
  package let help: String
  /// True if it may be given several times.
  package let isRepeatable: Bool
  /// Stores the value; false if it cannot be read.
  let store: @Sendable (inout Arguments, String) -> Bool

  /// The kind of value that an option takes.
  package enum Value: Hashable, Sendable {
    case directory, file, version, seconds, table
    case count(through: Int)
    case oneOf([String])

    /// How the help writes it.
    package var placeholder: String {
      switch self {
      case .directory: "DIR"
      case .file: "FILE"
      case .version: "VERSION"
      case .seconds: "SECONDS"
      case .table: "TABLE"
      case .count: "N"
      case .oneOf: "WORD"
      }
    }
  }

  /// The name and the placeholder of its value.
  package var head: String { value.map { "\(name) \($0.placeholder)" } ?? name }

  /// The options of a verb, in the order of the table.
  ///
  /// A program that has the command as a part brings its seed, its scripts and its database
  /// itself. There, only the verbs of a release can name others: the files in its sources.
  package static func of(_ verb: Verb, isOwn: Bool = false) -> [Option] {
    table.filter { option in
      option.verbs.contains(verb) && !(isOwn && !verb.isForRelease && isShipping(option.name))
    }
  }

  /// True for the options that name the resources and the data directory.
  package static func isShipping(_ name: String) -> Bool {
    ["--resources", "--data", "--seed", "--migrations"].contains(name)
  }

  /// All options, first what most readers need; one that means something else for another verb has
  /// two rows.
  package static let table: [Option] = [
    Option("resources", .directory, \.resources, all, "one seed (.db) and Migrations/ [Resources]"),
    Option("data", .directory, \.data, withDatabase, "the directory of the database [data]"),
    Option(
      "backup", .directory, \.backup, [.up], "copy the database there before the first script"),
    Option(
      "backup", .directory, \.backup, [.restore], "where the backups are, and the next one goes"),
    Option("keep", through: 1_000_000, \.keep, [.up], "how many backups stay [2]"),
    Option("optimize", \.options.optimizes, [.up], "renew SQLite's statistics after the scripts"),
    Option("to", \.to, [.restore], "the version to go back to [the newest usable]"),
    Option("from", .file, \.from, [.restore], "put back this file, instead of a backup"),
    Option("to", \.to, [.adopt], "accept only this version; the schema must fit"),
    Option("in", .directory, \.copyDirectory, [.rehearse], "where the copy is made [TMPDIR]"),
    Option("refresh", .table, \.refresh, [.new], "refresh these tables, as in words,countries"),
    Option("overwrite", \.overwrites, [.new], "--refresh replaces what users have in the tables"),
    Option("import", .directory, \.importing, [.new], "take over the scripts of another tool"),
    Option("content", \.bake.hasNewContent, [.bake], "the rows changed: seed gets the next number"),
    Option("check", \.bake.isCheck, [.bake], "write nothing; exit with 65 if bake would write"),
    Option("empty", \.bake.beginsEmpty, [.bake], "begin with an empty database, not with the seed"),
    Option("output", .file, \.bake.output, [.bake], "write a new file, leave the seed as it is"),
    Option("exit-code", \.wantsExitCode, [.status], "exit with 10 if something is pending"),
    Option("wait", \.waiting, [.status], "wait for the target; exit with 10 if it is late"),
    Option("verify", \.verifies, [.status], "compare the schema; exit with 11 if it differs"),
    Option("each", .directory, \.each, [.up, .status], "work on every *.db in this directory"),
    Option("jobs", through: 64, \.jobs, [.up], "how many databases of --each at a time [1]"),
    Option(
      "fixtures", .directory, \.fixtures, [.check, .release, .adopt],
      "try the databases in it, too; may be given again"),
    Option(
      "released", .directory, \.released, [.new, .bake, .check, .release, .adopt],
      "the seeds of earlier releases [Released]"),
    Option(
      "target", \.target, withDatabase + [.check, .release, .bake],
      "the version to reach, as 3 or 1.4.2-1 [the newest]"),
    Option("json", \.isJSON, all, "print one JSON object"),
    Option("quiet", \.isQuiet, all, "print errors only"),
    Option(
      "database", .file, \.database, withDatabase, "the database [in --data, named like the seed]"),
    Option("seed", .file, \.seed, files, "the seed [the .db in --resources]"),
    Option("migrations", .directory, \.migrations, files, "the scripts [those in --resources]"),
    Option(
      "wait", \.options.patience, withDatabase.filter { $0 != .status },
      "how long to wait for other programs, in all [60]"),
    Option(
      "if-missing", [("seed", .seed), ("empty", .empty), ("fail", .fail)], \.options.ifMissing,
      [.up, .status], "without a database: seed, empty or fail [seed]"),
    Option(
      "foreign-keys", [("touched", .touched), ("all", .all), ("none", .none)],
      \.options.foreignKeys, runningScripts, "which to check: touched, all or none [touched]"),
    Option(
      "double-quoted-strings", \.options.doubleQuotedStrings, runningScripts,
      "\"text\" may be a string, as in old SQL"),
    Option(
      "skip-duplicates", \.options.skipsDuplicates, runningScripts,
      "skip statements that create what already exists"),
    Option(
      "load-extension", .file, \.extensions, withDatabase + [.check, .release, .bake],
      "load an SQLite extension; may be given again"),
  ]

  private static let all = files + [.initialize]
  /// The verbs that work with a seed and scripts.
  private static let files = withDatabase + [.new, .bake, .check, .release]
  /// The verbs that work with a database.
  private static let withDatabase: [Verb] = [.up, .status, .rehearse, .restore, .adopt]
  private static let runningScripts: [Verb] = [.up, .rehearse, .bake, .check, .release]
}

/// What each kind of value accepts, and where it is stored.
extension Option {
  private typealias Place<Stored> = any WritableKeyPath<Arguments, Stored> & Sendable

  /// `read` gets the text and what is stored already; it returns nil for a text that it refuses.
  private init<Stored>(
    _ name: String, _ value: Value?, _ place: Place<Stored>, _ verbs: [Verb], _ help: String,
    isRepeatable: Bool = false, read: @escaping @Sendable (String, Stored) -> Stored?
  ) {
    self.name = "--" + name
    self.value = value
    self.verbs = verbs
    self.help = help
    self.isRepeatable = isRepeatable
    store = { arguments, text in
      guard let stored = read(text, arguments[keyPath: place]) else { return false }
      arguments[keyPath: place] = stored
      return true
    }
  }

  private init(
    _ name: String, _ value: Value, _ place: Place<String?>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, value, place, verbs, help) { text, _ in text }
  }

  private init(
    _ name: String, _ value: Value, _ place: Place<[String]>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, value, place, verbs, help, isRepeatable: true) { text, all in all + [text] }
  }

  private init(_ name: String, _ place: Place<Bool>, _ verbs: [Verb], _ help: String) {
    self.init(name, nil, place, verbs, help) { _, _ in true }
  }

  private init(_ name: String, _ place: Place<Version?>, _ verbs: [Verb], _ help: String) {
    // A database from before Uplift has the version 0, and may have a backup.
    let hasZero = verbs == [.restore]
    self.init(name, .version, place, verbs, help) { text, _ in
      (hasZero && text == "0" ? .zero : Version(text)).map(Optional.some)
    }
  }

  private init(_ name: String, _ place: Place<Duration?>, _ verbs: [Verb], _ help: String) {
    self.init(name, .seconds, place, verbs, help) { text, _ in
      Duration(seconds: text).map(Optional.some)
    }
  }

  private init(_ name: String, _ place: Place<Duration>, _ verbs: [Verb], _ help: String) {
    self.init(name, .seconds, place, verbs, help) { text, _ in Duration(seconds: text) }
  }

  private init(
    _ name: String, through most: Int, _ place: Place<Int?>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, .count(through: most), place, verbs, help) { text, _ in
      guard text.isDigits, let count = Int(text), (1...most).contains(count) else { return nil }
      return count
    }
  }

  private init<Choice: Sendable>(
    _ name: String, _ choices: [(String, Choice)], _ place: Place<Choice>, _ verbs: [Verb],
    _ help: String
  ) {
    self.init(name, .oneOf(choices.map(\.0)), place, verbs, help) { text, _ in
      choices.first { $0.0 == text }?.1
    }
  }
}
