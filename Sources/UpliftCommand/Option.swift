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
  /// At most 51 columns, so that a line of help fits a screen.
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

  /// The options of a verb, in the order of the table.
  package static func of(_ verb: Verb) -> [Option] { table.filter { $0.verbs.contains(verb) } }

  /// All options; one that means something else for another verb has two rows.
  package static let table: [Option] = [
    Option(
      "resources", .directory, \.resources, all, "has one seed (.db) and Migrations/ [Resources]"),
    Option(
      "data", .directory, \.data, withDatabase, "holds the database, named like the seed [data]"),
    Option("database", .file, \.database, withDatabase, "the database itself, instead of --data"),
    Option("seed", .file, \.seed, all, "the seed itself, instead of that in --resources"),
    Option(
      "migrations", .directory, \.migrations, all, "the scripts, instead of those in --resources"),
    Option(
      "target", \.target, withDatabase + [.check, .release, .bake],
      "the version to reach, as 3 or 1.4.2-1 [the newest]"),
    Option(
      "wait", \.options.patience, withDatabase, "how long to wait for other programs, in all [60]"),
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
      "backup", .directory, \.backup, [.up], "copy the database there before the first script"),
    Option(
      "backup", .directory, \.backup, [.restore], "where the backups are, and the next one goes"),
    Option("keep", through: 1_000_000, \.keep, [.up], "how many backups stay [2]"),
    Option("each", .directory, \.each, [.up, .status], "work on every *.db in this directory"),
    Option(
      "jobs", through: 64, \.jobs, [.up, .status], "how many databases of --each at a time [1]"),
    Option("to", \.backupVersion, [.restore], "the version to go back to [the newest usable]"),
    Option("from", .file, \.backupFile, [.restore], "put back this file, instead of a backup"),
    Option("to", \.adoptedVersion, [.adopt], "accept only this version; the schema must fit"),
    Option(
      "in", .directory, \.rehearsal.directory, [.rehearse],
      "directory of the copy [that of temporary files]"),
    Option(
      "load-extension", .file, \.extensions, withDatabase + [.check, .release, .bake],
      "load an SQLite extension; may be repeated"),
    Option("refresh", .table, \.refresh, [.new], "refresh these tables, as in words,countries"),
    Option("import", .directory, \.importing, [.new], "take over the scripts of another tool"),
    Option(
      "released", .directory, \.released, [.check, .release, .adopt],
      "the seeds of earlier releases [Released]"),
    Option(
      "fixtures", .directory, \.fixtures, [.check, .release, .adopt],
      "try the databases in it, too; may be given again"),
    Option(
      "content", \.bake.hasNewContent, [.bake], "the rows changed: give the seed the next number"),
    Option("empty", \.bake.beginsEmpty, [.bake], "begin with an empty database"),
    Option("output", .file, \.bake.output, [.bake], "write a new file, leave the seed as it is"),
    Option("check", \.bake.isCheck, [.bake], "write nothing; exit with 65 if bake would write"),
    Option("exit-code", \.wantsExitCode, [.status], "exit with 10 if something is pending"),
    Option("verify", \.verifies, [.status], "compare the schema; exit with 11 if it differs"),
    Option("json", \.isJSON, all, "print one JSON object"),
    Option("quiet", \.isQuiet, all, "print errors only"),
  ]

  /// The verbs that work with a seed and scripts.
  private static let all = withDatabase + [.new, .bake, .check, .release]
  /// The verbs that work with a database.
  private static let withDatabase: [Verb] = [.up, .status, .rehearse, .restore, .adopt]
  private static let runningScripts: [Verb] = [.up, .rehearse, .bake, .check, .release]
}

/// What each kind of value accepts, and where it is stored.
extension Option {
  private typealias Place<Stored> = any WritableKeyPath<Arguments, Stored> & Sendable

  private init(
    _ name: String, _ value: Value?, _ verbs: [Verb], _ help: String, isRepeatable: Bool = false,
    store: @escaping @Sendable (inout Arguments, String) -> Bool
  ) {
    self.name = "--" + name
    self.value = value
    self.verbs = verbs
    self.help = help
    self.isRepeatable = isRepeatable
    self.store = store
  }

  private init<Stored>(
    _ name: String, _ value: Value, _ place: Place<Stored>, _ verbs: [Verb], _ help: String,
    read: @escaping @Sendable (String) -> Stored?
  ) {
    self.init(name, value, verbs, help) { arguments, text in
      guard let stored = read(text) else { return false }
      arguments[keyPath: place] = stored
      return true
    }
  }

  private init(
    _ name: String, _ value: Value, _ place: Place<String?>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, value, place, verbs, help) { $0 }
  }

  private init(
    _ name: String, _ value: Value, _ place: Place<[String]>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, value, verbs, help, isRepeatable: true) { arguments, text in
      arguments[keyPath: place].append(text)
      return true
    }
  }

  private init(_ name: String, _ place: Place<Bool>, _ verbs: [Verb], _ help: String) {
    self.init(name, nil, verbs, help) { arguments, _ in
      arguments[keyPath: place] = true
      return true
    }
  }

  private init(_ name: String, _ place: Place<Version?>, _ verbs: [Verb], _ help: String) {
    // A database from before Uplift has the version 0, and may have a backup.
    let hasZero = verbs == [.restore]
    self.init(name, .version, place, verbs, help) { text in
      (hasZero && text == "0" ? .zero : Version(text)).map(Optional.some)
    }
  }

  private init(_ name: String, _ place: Place<Duration>, _ verbs: [Verb], _ help: String) {
    self.init(name, .seconds, place, verbs, help) { Duration(seconds: $0) }
  }

  private init(
    _ name: String, through most: Int, _ place: Place<Int?>, _ verbs: [Verb], _ help: String
  ) {
    self.init(name, .count(through: most), place, verbs, help) { text in
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text),
        (1...most).contains(count)
      else { return nil }
      return count
    }
  }

  private init<Choice: Sendable>(
    _ name: String, _ choices: [(String, Choice)], _ place: Place<Choice>, _ verbs: [Verb],
    _ help: String
  ) {
    self.init(name, .oneOf(choices.map(\.0)), place, verbs, help) { text in
      choices.first { $0.0 == text }?.1
    }
  }
}
