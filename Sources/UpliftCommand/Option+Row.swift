internal import Uplift

/// The table of options: the value that each takes, the verbs that have it, its line of help.
///
/// The help, the manual, the completions, the error messages and the checks of the command line are
/// made from this table.
extension Option {
  package struct Row: Sendable {
    /// Nil for an option that takes no value.
    package let value: Value?
    /// Empty for an option that is a verb by itself.
    package let verbs: [Verb]
    /// At most 51 columns, so that a line of help fits a screen; empty if the line of another
    /// option shows this one.
    package let help: String
    /// The same for a reader who does not see the lines of other options.
    package let summary: String
  }

  /// The kind of value that an option takes.
  package enum Value: Hashable, Sendable {
    case directory, file, version, seconds, table, count
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

  /// How a message writes the value, as in `DIR`; `N|DIR` if it depends on the verb.
  var placeholder: String {
    var found: [String] = []
    for verb in row.verbs {
      guard let placeholder = row(for: verb).value?.placeholder else { continue }
      if !found.contains(placeholder) { found.append(placeholder) }
    }
    return found.joined(separator: "|")
  }

  /// The row for one verb, which may be a verb without this option.
  package func row(for verb: Verb) -> Row {
    switch (self, verb) {
    case (.keep, .bake): Row(.directory, [.bake], "copy the old seed to this directory")
    case (.backup, .restore): Row(.directory, [.restore], "where up --backup put the copies")
    case (.version, .adopt): Row(.version, [.adopt], "accept only this one; the schema must fit")
    case (.version, _): Row(nil, [], Verb.version.summary)
    case (.quiet, .bake): Row(nil, [.bake], "print errors and warnings only")
    case (.seed, .new), (.seed, .check), (.seed, .bake):
      Row(.file, [verb], "the seed; no default for --resources", summary: row.summary)
    case (.migrations, .new), (.migrations, .check), (.migrations, .bake):
      Row(.directory, [verb], "the scripts; no default for --resources", summary: row.summary)
    default: row
    }
  }

  /// The row that the option has for most of its verbs; `verbs` are all of them.
  package var row: Row {
    switch self {
    case .resources:
      Row(.directory, Self.all, "has one seed (.db) and Migrations/ [Resources]")
    case .data:
      Row(.directory, Self.withDatabase, "holds the database, named like the seed [data]")
    case .database:
      Row(
        .file, Self.withDatabase, "the database; no default for --resources, --data",
        summary: "the database itself, instead of --data")
    case .seed:
      Row(
        .file, Self.all, "the seed; no default for --resources, --data",
        summary: "the seed itself, instead of the one in --resources")
    case .migrations:
      Row(
        .directory, Self.all, "the scripts; no default for --resources, --data",
        summary: "the scripts themselves, instead of those in --resources")
    case .target:
      Row(
        .version, [.up, .status, .rehearse, .restore, .adopt, .check, .bake],
        "version to reach, as 3 or 1.4.2-1 [newest or seed]",
        summary: "the version to reach, as 3 or 1.4.2-1 [the newest script or the seed]")
    case .wait: Row(.seconds, Self.withDatabase, "how long to wait for other programs, in all [60]")
    case .ifMissing:
      Row(
        .oneOf(Upgrader.IfMissing.choices.map(\.name)), [.up, .status],
        "without a database: seed, empty or fail [seed]")
    case .foreignKeys:
      Row(
        .oneOf(Upgrader.ForeignKeyCheck.choices.map(\.name)), [.up, .rehearse, .check, .bake],
        "which to check: touched, all or none [touched]",
        summary: "which foreign keys to check: touched, all or none [touched]")
    case .doubleQuotedStrings:
      Row(nil, [.up, .rehearse, .check, .bake], "\"text\" may be a string, as in old SQL")
    case .skipDuplicates:
      Row(nil, [.up, .rehearse, .check, .bake], "skip statements that create what already exists")
    case .commitInterval:
      Row(.seconds, [.up, .rehearse], "how long scripts may share a commit [0.1]")
    case .backup:
      Row(.directory, [.up, .restore], "copy the database there before the first script")
    case .each:
      Row(
        .directory, [.up, .status], "work on every *.db in it; [--jobs N]",
        summary: "every *.db in this directory, instead of one database")
    case .jobs:
      Row(.count, [.up, .status], "", summary: "how many databases of --each at a time [1]")
    case .to: Row(.version, [.restore], "the version to go back to [the newest usable]")
    case .in: Row(.directory, [.rehearse], "directory of the copy [that of temporary files]")
    case .keepCopy: Row(nil, [.rehearse], "keep the copy in the directory of --in")
    case .loadExtension:
      Row(
        .file, [.up, .status, .rehearse, .restore, .adopt, .check, .bake],
        "load an SQLite extension; may be repeated")
    case .refresh: Row(.table, [.new], "refresh these tables, as in words,countries")
    case .import: Row(.directory, [.new], "take over the scripts of another tool")
    case .fixtures:
      Row(.directory, [.check], "try the databases in it, too; may be given again")
    case .lock: Row(nil, [.check], "record the scripts, unless the check fails")
    case .strict: Row(nil, [.check], "exit with 65 for notes, too")
    case .content: Row(nil, [.bake], "the rows changed: give the seed the next number")
    case .empty: Row(nil, [.bake], "begin with an empty database")
    case .output: Row(.file, [.bake], "write a new file, leave the seed as it is")
    case .keep: Row(.count, [.up, .bake], "how many backups stay [2]")
    case .schema: Row(.file, [.bake], "write the schema as text, too")
    case .check: Row(nil, [.bake], "write nothing; exit with 65 if bake would write")
    case .json: Row(nil, Self.all, "print one JSON object")
    case .quiet: Row(nil, Self.all, "print errors only")
    case .progress:
      Row(
        .oneOf(ProgressChoice.choices.map(\.name)), [.up, .rehearse, .check, .bake],
        "auto, always or never [auto: on a terminal]")
    case .exitCode: Row(nil, [.status], "exit with 10 if something is pending")
    case .verify:
      Row(
        nil, [.status], "compare the schema; exit with 11 if it differs",
        summary: "compare the schema with that of the scripts; exit with 11 if it differs")
    case .help: Row(nil, [], "the options of a verb")
    // `--version` without a value is a verb by itself.
    case .version: row(for: .adopt)
    }
  }
}

extension Option {
  /// The verbs that work with a seed and scripts.
  private static let all: [Verb] = [
    .up, .status, .rehearse, .restore, .adopt, .new, .check, .bake,
  ]
  /// The verbs that work with a database.
  private static let withDatabase: [Verb] = [.up, .status, .rehearse, .restore, .adopt]
}

extension Option.Row {
  fileprivate init(
    _ value: Option.Value?, _ verbs: [Verb], _ help: String, summary: String? = nil
  ) {
    self.init(value: value, verbs: verbs, help: help, summary: summary ?? help)
  }
}

// The words that an option accepts, and the value for each.

extension Upgrader.IfMissing {
  static let choices: [(name: String, choice: Self)] = [
    ("seed", .seed), ("empty", .empty), ("fail", .fail),
  ]
}

extension Upgrader.ForeignKeyCheck {
  static let choices: [(name: String, choice: Self)] = [
    ("touched", .touched), ("all", .all), ("none", .none),
  ]
}

extension ProgressChoice {
  static let choices = allCases.map { (name: $0.rawValue, choice: $0) }
}
