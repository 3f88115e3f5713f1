internal import UpliftCommand

/// The man page `uplift(1)`.
enum ManualPage {
  /// The date, such as `2026-11-22`, is shown at the foot of the page.
  static func text(date: String) -> String {
    """
    .TH UPLIFT 1 "\(date)" "uplift \(Program.version)" "User Commands"
    .SH NAME
    uplift \\- bring a SQLite database to the version that a program ships
    .SH SYNOPSIS
    \(Verb.allCases.map { ".B \(Roff.escaped(Help.usage(of: $0)))" }.joined(separator: "\n.br\n"))
    .SH DESCRIPTION
    \(description)
    .SH COMMANDS
    \(Verb.typed.map(section).joined(separator: "\n"))
    .SH OPTIONS
    A value follows its option after a blank or after =.
    The default of the value is in brackets. The verbs that take the option are in parentheses.
    \(Option.table.map(entry).joined(separator: "\n"))
    \(entry("--help", Verb.help.summary))
    \(entry("--version", Verb.version.summary))
    .SH EXIT STATUS
    \(ExitCode.allCases.map(entry).joined(separator: "\n"))
    .SH ENVIRONMENT
    \(environment.map { entry($0, $1) }.joined(separator: "\n"))
    .SH FILES
    \(files.map { entry($0, $1) }.joined(separator: "\n"))
    .SH EXAMPLES
    \(examples.map { entry($0, $1) }.joined(separator: "\n"))
    .SH SEE ALSO
    .BR sqlite3 (1)

    """
  }

  private static let description = """
    Uplift copies a seed into the data directory if there is no database yet.
    Then it reads PRAGMA user_version of the database, runs each numbered script above that version, in
    ascending order, and sets user_version after each.
    A script and its version are committed together or not at all.
    .PP
    Results go to standard output, progress and errors to standard error.
    """

  private static let environment = [
    ("NO_COLOR", "No colour, if it is set and not empty."),
    (
      "SQLITE_TMPDIR, TMPDIR",
      "The directory of SQLite's temporary files. If neither is set, and /var/tmp, /usr/tmp, /tmp and "
        + "the working directory cannot be written, SQLite uses the data directory."
    ),
    ("COLUMNS, TERM", "The width of the progress bar. There is no bar if TERM is dumb."),
  ]

  private static let files = [
    (
      "Resources/*.db",
      "The seed, an SQLite file. The user's database in data/ has the same file name."
    ),
    ("Resources/Migrations/*.sql", "The scripts: a number, a separator, a description."),
    ("data/", "The directory of the database."),
  ]

  private static let examples = [
    (
      "uplift up --resources /opt/guestbook/Resources --data /var/lib/guestbook",
      "Makes or upgrades the database before the service starts."
    ),
    (
      "uplift status --exit-code --quiet",
      "Exits with 10 if a script is pending."
    ),
    (
      "uplift up --backup /var/backups/guestbook",
      "Copies the database before the first pending script."
    ),
  ]

  private static func section(on verb: Verb) -> String {
    let note = Help.note(on: verb).map { ".\n" + Roff.lines($0) } ?? ""
    return """
      .SS uplift \(verb.rawValue)
      \(Roff.lines(verb.summary.capitalisedAtStart))\(note)
      """
  }

  private static func entry(_ option: Option) -> String {
    let value = option.value.map { " " + $0.placeholder } ?? ""
    let verbs = option.verbs.map(\.rawValue).joined(separator: ", ")
    return entry(option.name + value, "\(option.help) (\(verbs))")
  }

  private static func entry(_ code: ExitCode) -> String {
    entry("\(code.rawValue)", code.meaning)
  }

  private static func entry(_ head: String, _ text: String) -> String {
    ".TP\n.B \(Roff.escaped(head))\n\(Roff.lines(text))"
  }
}

/// Text for troff.
enum Roff {
  /// One line of text with troff's characters escaped, so that dashes are copied as dashes and
  /// nothing in it is a request.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "\"": escaped += "\\(dq"
      case "'": escaped += "\\(aq"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "`": escaped += "\\(ga"
      case "…": escaped += "..."
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// Lines of text, none of which begins as a request does.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n").map { line in
      let line = escaped(String(line))
      return line.hasPrefix(".") ? "\\&" + line : line
    }.joined(separator: "\n")
  }
}

extension String {
  /// The text with its first letter as a capital.
  var capitalisedAtStart: String { prefix(1).uppercased() + dropFirst() }
}
