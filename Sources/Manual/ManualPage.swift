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
    \(Verb.allCases.map { ".B \(Roff.escaped($0.usage))" }.joined(separator: "\n.br\n"))
    .SH DESCRIPTION
    Uplift copies a seed into the data directory if there is no database yet.
    Then it reads PRAGMA user_version of the database, runs each numbered script above that version, in
    ascending order, and sets user_version after each.
    A script and its version are committed together or not at all.
    .PP
    Results go to standard output, progress and errors to standard error.
    .SH COMMANDS
    \(Verb.typed.map(section).joined(separator: "\n"))
    .SH OPTIONS
    A value follows its option after a blank or after =.
    The default of the value is in brackets. The verbs that take the option are in parentheses.
    \(Option.table.map(entry).joined(separator: "\n"))
    \(entries("-h, --help\n\(Verb.help.summary)\n\n-V, --version\n\(Verb.version.summary)"))
    .SH SCRIPTS
    \(entries(scripts))
    .SH BACKUPS
    \(entries(backups))
    .SH EXIT STATUS
    \(ExitCode.allCases.map { entries("\($0.rawValue)\n\($0.meaning)") }.joined(separator: "\n"))
    .SH ENVIRONMENT
    \(entries(environment))
    .SH SEE ALSO
    .BR sqlite3 (1);
    the pages in /usr/share/doc/uplift, if the package for Debian is installed

    """
  }

  /// Each paragraph is an entry, and begins with its head.
  private static let scripts = """
    Resources/Migrations/0002_add_visits.sql
    A number from 1 to 2147483647, with any leading zeros, and an optional description after _, - or a
    blank. The number of a release is fine, too: 1.4.2_add_visits.sql.
    These lines at the top of a script change how it runs:

    -- uplift: unfinished
    The script is refused until somebody removes the line.

    -- uplift: reads-seed
    The script may read the seed as the schema seed, as in SELECT name FROM seed.guests. Its number is
    that of the seed: uplift bake --content gives both the next one.

    -- uplift: no-transaction
    For VACUUM and pragmas such as journal_mode. The script holds nothing else, and may run twice.

    -- uplift: accepts KIND...
    The author has seen these findings of uplift check in the script, and means them.
    """

  private static let backups = """
    guestbook-1f3a9c02-0007-v4.db
    The seventh backup, of version 4. The eight digits stand for the path of the database.
    The highest number is the newest backup. No file is replaced.

    guestbook-1f3a9c02-0008-v5-replaced.db
    What a restore has replaced. It is never deleted; name it with --from to go back to it.
    """

  private static let environment = """
    NO_COLOR
    No colour, if it is set and not empty.

    SQLITE_TMPDIR, TMPDIR
    The directory of SQLite's temporary files. If neither is set, and /var/tmp, /usr/tmp, /tmp and
    the working directory cannot be written, SQLite uses the data directory.

    COLUMNS, TERM
    The width of the progress bar. There is no bar if TERM is dumb.
    """

  private static func section(on verb: Verb) -> String {
    let summary = verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."
    let lines = [summary, verb.note].compactMap(\.self).map(Roff.lines)
    let example = verb.example.map { [".PP", ".EX", Roff.lines($0), ".EE"] } ?? []
    return ([".SS uplift \(verb.rawValue)"] + lines + example).joined(separator: "\n")
  }

  private static func entry(_ option: Option) -> String {
    entries(
      "\(option.head)\n\(option.help) (\(option.verbs.map(\.rawValue).joined(separator: ", ")))")
  }

  private static func entries(_ text: String) -> String {
    text.split(separator: "\n\n").map { entry in
      let lines = entry.split(separator: "\n", maxSplits: 1).map(String.init)
      return ".TP\n.B \(Roff.escaped(lines[0]))\n\(Roff.lines(lines[1]))"
    }.joined(separator: "\n")
  }
}

/// Text for troff.
enum Roff {
  /// One line of text with troff's characters escaped, so that dashes are copied as dashes and
  /// nothing in it is a request.
  static func escaped(_ text: String) -> String {
    let escapes: [Character: String] = [
      "\\": "\\e", "-": "\\-", "\"": "\\(dq", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti",
      "`": "\\(ga",
      "…": "...",
    ]
    return text.map { escapes[$0] ?? String($0) }.joined()
  }

  /// Lines of text, none of which begins as a request does.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n").map { ($0.hasPrefix(".") ? "\\&" : "") + escaped(String($0)) }
      .joined(separator: "\n")
  }
}
