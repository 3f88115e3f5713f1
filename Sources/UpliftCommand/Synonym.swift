/// Verbs and options of other tools, each with a line that says what Uplift calls it.
///
/// Many users know another tool and try its words first.
package struct Synonym: Sendable {
  package let words: [String]
  /// One line that says what to do.
  package let advice: String

  static func advice(forVerb word: String) -> String? {
    let word = word.lowercased()
    return verbs.first { $0.words.contains(word) }?.advice
  }

  /// Ignores the dashes, because some tools write one and others two.
  static func advice(forOption name: String) -> String? {
    let letters = String(name.drop { $0 == "-" }.map { $0 == "_" ? "-" : $0 })
    return options.first { $0.words.contains(letters) }?.advice
  }

  private init(_ words: String, _ advice: String) {
    self.words = words.split(separator: " ").map(String.init)
    self.advice = advice
  }
}

extension Synonym {
  package static let verbs = [
    Synonym(
      "migrate migration migrations upgrade update apply run start execute exec deploy latest head "
        + "install sync push",
      "uplift up runs the pending scripts"),
    Synonym(
      "info list ls show pending history current log plan diff dry-run preview",
      "uplift status shows what is there and what is pending"),
    Synonym(
      "version",
      "uplift status shows the version of the database, "
        + "uplift --version shows the version of the command"),
    Synonym(
      "create generate add make revision",
      "uplift new WORDS writes the next script"),
    Synonym("import convert", "uplift new --import DIR takes over the scripts of another tool"),
    Synonym("init setup", "uplift up makes the database, uplift new WORDS writes a script"),
    Synonym(
      "seed build",
      "uplift up copies the seed if there is no database, uplift bake makes the seed anew"),
    Synonym(
      "rollback down downgrade undo redo revert back",
      "to undo a script, ship another, or put a backup back with uplift restore --backup DIR"),
    Synonym(
      "goto to",
      "uplift up --target VERSION goes up to a version; to go back, uplift restore --backup DIR"),
    Synonym(
      "reset drop clean fresh refresh wipe nuke recreate",
      "Uplift deletes no database: move the file away, then uplift up makes another"),
    Synonym(
      "validate lint test",
      "uplift check tries all scripts before a release"),
    Synonym(
      "verify drift compare",
      "uplift status --verify compares a database with its scripts, uplift check tries the scripts"),
    Synonym(
      "repair resolve",
      "there is nothing to repair: correct the script that failed, then start uplift up again"),
    Synonym(
      "baseline stamp fake mark recognise recognize identify",
      "uplift adopt finds out the version of a database and writes it; --version N accepts only N"),
    Synonym(
      "force set set-version skip",
      "the version is PRAGMA user_version: sqlite3 FILE 'PRAGMA user_version = N' sets it"),
    Synonym(
      "dump schema export load",
      "uplift bake --schema FILE writes the schema, sqlite3 FILE .schema shows it"),
    Synonym("wait", "uplift up waits by itself; --wait SECONDS says for how long"),
  ]

  package static let options = [
    Synonym(
      "n dry-run dryrun pretend simulate preview plan",
      "uplift status shows what uplift up would run, uplift rehearse runs it on a copy"),
    Synonym("q silent s", "write --quiet"),
    Synonym(
      "v verbose debug log-level trace",
      "leave it out: uplift up prints each script that it applied; --version shows the version"),
    Synonym("V", "write --version"),
    Synonym("t to-version upto up-to", "write --target VERSION"),
    Synonym(
      "db url u database-url db-url dsn connection connection-string datasource database-path "
        + "database-file",
      "write --database FILE"),
    Synonym("d", "write --database FILE, or --data DIR"),
    Synonym(
      "dir path p source migrations-dir migrations-path migration-dir locations scripts",
      "write --migrations DIR"),
    Synonym("format o output-format", "write --json, or leave it out"),
    Synonym(
      "y yes f force no-input",
      "leave it out: there is nothing to confirm, and nothing can be forced"),
    Synonym("timeout lock-timeout wait-timeout busy-timeout", "write --wait SECONDS"),
    Synonym("color colour no-color no-colour", "set NO_COLOR=1 in the environment for no colour"),
    Synonym("no-transaction", "write -- uplift: no-transaction at the top of the script"),
    Synonym(
      "c config e env environment env-file",
      "leave it out: there is no configuration but the options, see uplift help up"),
    Synonym("steps count limit num", "write --target VERSION, the version to reach"),
    Synonym(
      "out-of-order allow-missing allow-out-of-order ignore-missing",
      "if a script came late, give it a new number: a script below the version never runs"),
    Synonym(
      "table migrations-table schema-table",
      "leave it out: PRAGMA user_version is the only bookkeeping"),
  ]
}
