/// The pages of `uplift help`, each of which fits a screen of 80 columns and 24 lines.
package enum Help {
  /// The options of a verb; the overview for nil and for verbs without options.
  ///
  /// If the command is a part of a program (`isOwn`), the page leaves out the options for the
  /// program's files, except for the verbs of a release.
  package static func text(_ topic: Verb?, isOwn: Bool = false) -> String {
    switch topic {
    case .help, .version, nil: overview
    case let verb?: page(of: verb, isOwn)
    }
  }

  private static let overview = """
    uplift brings a SQLite database to the version that a program ships.

      uplift up            \(Verb.up.summary)
      uplift status        \(Verb.status.summary)
      uplift rehearse      \(Verb.rehearse.summary)
      uplift restore       \(Verb.restore.summary)
      uplift adopt         \(Verb.adopt.summary)
      uplift new WORDS…    \(Verb.new.summary)
      uplift bake          \(Verb.bake.summary)
      uplift check         \(Verb.check.summary)
      uplift release       \(Verb.release.summary)
      uplift help [VERB]   \(Verb.help.summary); --version

    If there is no database, it copies the seed Resources/app.db to data/app.db.
    Then it runs each script, such as Resources/Migrations/0002_words.sql, once.

    \(exits)
    """

  /// The exit codes in two columns.
  private static var exits: String {
    let cells = ExitCode.allCases.filter { $0 != .terminated }.map { code in
      let number = code == .interrupted ? "130, 143" : "\(code.rawValue)"
      return "\(number.padded(to: code == .interrupted ? 9 : 3)) \(code.meaning)"
    }
    let rows = (cells.count + 1) / 2
    return (0..<rows).map { row in
      let left = (row == 0 ? "exit " : "     ") + cells[row]
      let right = row + rows < cells.count ? cells[row + rows] : ""
      return "  " + (right.isEmpty ? left : left.padded(to: 44) + right)
    }.joined(separator: "\n")
  }

  private static func page(of verb: Verb, _ isOwn: Bool) -> String {
    let bringsFiles = isOwn && !verb.isForRelease
    let lines = Option.of(verb).filter { !bringsFiles || !Arguments.shipping.contains($0.name) }
      .map { option in
        let value = option.value.map { " " + $0.placeholder } ?? ""
        let help = isOwn ? ownHelp[option.name] ?? option.help : option.help
        return "  " + (option.name + value).padded(to: 26) + " " + help
      }
    let parts: [String?] = [
      "\(usage(of: verb))  \(verb.summary)", lines.joined(separator: "\n"),
      note(on: verb, isOwn: isOwn),
    ]
    return parts.compactMap(\.self).joined(separator: "\n\n")
  }

  /// The help of the options for files that a program brings itself.
  private static let ownHelp = [
    "--resources": "one seed (.db) and Migrations/ [the program's own]",
    "--database": "the database itself [the program's own]",
    "--seed": "the seed itself [the program's own]",
    "--migrations": "the scripts themselves [the program's own]",
  ]
}

extension Help {
  /// How a verb is written.
  package static func usage(of verb: Verb) -> String {
    switch verb {
    case .up: "uplift up [OPTIONS]"
    case .new: "uplift new WORDS… | --refresh TABLE… | --import DIR"
    case .help: "uplift help [VERB]"
    case .version: "uplift --version"
    default: "uplift \(verb.rawValue) [OPTIONS]"
    }
  }

  /// A note on a verb, which stands below its options; nil on the longest page.
  package static func note(on verb: Verb, isOwn: Bool = false) -> String? {
    switch verb {
    case .release:
      """
      It records the scripts in uplift.lock, the seed in Released as guestbook-7.db,
      and the schema there as schema.sql. A finding makes it exit with 65.
      """
    case .check:
      """
      It tries the scripts on copies of the seed and of each fixture, and on an empty
      database, also with rows in empty tables. A finding makes it exit with 65.
      """
    case .up where isOwn, .status where isOwn, .rehearse where isOwn, .restore where isOwn,
      .adopt where isOwn:
      "The seed and the scripts are the program's own."
    case .bake where isOwn:
      "The seed and the scripts are the program's own, unless an option names others."
    case .rehearse:
      """
      It prints a table on a terminal, and JSON otherwise. It does not change the
      database.
      """
    case .adopt:
      """
      It compares the schema with that of each version, which the scripts make from
      the seed or an empty database. If exactly one version fits, it writes that one.
      """
    case .help, .version: nil
    case .up, .status, .restore:
      """
      If --database, --seed or --migrations is given, --resources and --data have
      no default.
      """
    case .new:
      """
      The script gets the next number in the style of the directory. A script that
      refreshes tables gets the number of the seed, or the next one if that is taken.
      With --import, the scripts are numbered from 1, in the order of the other tool.
      """
    default: "If --seed or --migrations is given, --resources has no default."
    }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
