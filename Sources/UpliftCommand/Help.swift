/// The pages of `uplift help`, each of which fits a screen of 80 columns and 24 lines.
package enum Help {
  /// The options of a verb; the overview for nil and for verbs without options.
  ///
  /// If the command is a part of a program (`isOwn`), the page leaves out the options for the
  /// program's files, except for the verbs of a release.
  package static func text(_ topic: Verb?, isOwn: Bool = false) -> String {
    switch topic {
    case .help, .version, nil: overview(isOwn)
    case let verb?: page(of: verb, isOwn)
    }
  }

  private static func overview(_ isOwn: Bool) -> String {
    let start =
      isOwn
      ? """
      uplift copies the program's seed if there is no database. Then it runs each
      script or step above the version of the database, once.
      """
      : """
      uplift copies the seed Resources/app.db to data/app.db if there is no database.
      Then it runs each script, such as Resources/Migrations/0002_words.sql, once.
      """
    let verbs = Verb.typed.filter { !isOwn || $0 != .initialize }.map { verb in
      let usage =
        switch verb {
        case .initialize, .help: verb.usage
        case .new: "uplift new WORDS…"
        default: "uplift \(verb.rawValue)"
        }
      return "  \(usage.padded(to: 18)) \(verb.summary)" + (verb == .help ? "; --version" : "")
    }
    return [start, verbs.joined(separator: "\n"), exits].joined(separator: "\n\n")
  }

  /// The exit codes in two columns.
  private static var exits: String {
    let cells = ExitCode.allCases.filter { $0 != .terminated }.map { code in
      code == .interrupted
        ? "130, 143  SIGINT, SIGTERM" : "\(code.rawValue)".padded(to: 3) + " \(code.meaning)"
    }
    let rows = (cells.count + 1) / 2
    return (0..<rows).map { row in
      let left = (row == 0 ? "exit " : "     ") + cells[row]
      let right = row + rows < cells.count ? cells[row + rows] : ""
      return "  " + (right.isEmpty ? left : left.padded(to: 44) + right)
    }.joined(separator: "\n")
  }

  private static func page(of verb: Verb, _ isOwn: Bool) -> String {
    let options = Option.of(verb, isOwn: isOwn).map { option in
      // The defaults for files are those of `uplift`.
      let hasOther = isOwn && (Option.isShipping(option.name) || option.name == "--database")
      let help = hasOther ? String(option.help.split(separator: " [")[0]) : option.help
      return "  \(option.head.padded(to: 26)) \(help)"
    }
    let own =
      verb.isForRelease
      ? "The seed and the scripts are the program's own, unless an option names others."
      : "The seed and the scripts are the program's own."
    let end = [isOwn ? own : verb.note, verb.example.map { "Example: \($0)" }].compactMap(\.self)
    return ["\(verb.usage)  \(verb.summary)", options.joined(separator: "\n")]
      .joined(separator: "\n\n") + "\n\n" + end.joined(separator: "\n")
  }
}
