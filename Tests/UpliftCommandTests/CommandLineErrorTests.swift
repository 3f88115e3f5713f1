import TestSupport
import Testing
import UpliftCommand

struct CommandLineErrorTests {
  /// A wrong command line, with its message and remedy.
  static let table: [(words: [String], said: String, remedy: String)] = [
    (["stauts"], #"no verb is called "stauts""#, "did you mean status?"),
    (["UP"], #"no verb is called "UP""#, "did you mean up?"),
    (["pu"], #"no verb is called "pu""#, "did you mean up?"),
    (
      ["Migrate"], #"no verb is called "Migrate""#,
      "did you mean uplift up? It is to make the database if it is missing, run pending scripts"
    ),
    (
      ["help", "rollback"], #"no verb is called "rollback""#,
      "did you mean uplift restore? It is to put back a backup that up --backup made"
    ),
    (
      ["version"], #"no verb is called "version""#,
      "did you mean uplift status? It is to show the version and what is pending, change nothing"
    ),
    (
      ["data/app.db"], #"no verb is called "data/app.db""#,
      "put the name of its option in front of it, as in --database data/app.db"
    ),
    (
      ["app.db"], #"no verb is called "app.db""#,
      "put the name of its option in front of it, as in --database app.db"
    ),
    (["help", "up", "now"], #""now" is an unexpected argument, help takes one verb"#, "remove it"),
    ([""], #"no verb is called """#, "uplift help lists the verbs"),
    (["-"], #"no verb is called "-""#, "uplift help lists the verbs"),
    (["--", "--json"], #"no verb is called "--json""#, "uplift help lists the verbs"),
    (
      ["up", "now"], #""now" is an unexpected argument, up takes only options"#,
      "remove it, or put the name of its option in front of it"
    ),
    (
      ["status", "--", "--json"],
      #""--json" is an unexpected argument, status takes only options"#,
      "remove it, or put the name of its option in front of it"
    ),
    (["--taregt", "3"], #"no option is called "--taregt""#, "did you mean --target?"),
    (["--dta=x"], #"no option is called "--dta""#, "did you mean --data?"),
    (["-target", "3"], #"no option is called "-target""#, "did you mean --target?"),
    (
      ["--frobnicate"], #"no option is called "--frobnicate""#, "uplift help VERB lists the options"
    ),
    (
      ["bake", "--dry-run"], #"no option is called "--dry-run""#,
      "did you mean uplift rehearse, or bake --check?"
    ),
    (["--db=x"], #"no option is called "--db""#, "did you mean --database?"),
    (
      ["--keep-going"], #"no option is called "--keep-going""#, "uplift help VERB lists the options"
    ),
    (["--Data", "x"], #"no option is called "--Data""#, "did you mean --data?"),
    (["--data", "x", "--data=y"], "--data is given twice", "give it once"),
    (["--quiet", "--quiet"], "--quiet is given twice", "give it once"),
    (
      ["--target"], "--target has no value",
      "write --target VERSION, or --target=VERSION if the value begins with a dash"
    ),
    (
      ["--data", "--quiet"], "--data has no value",
      "write --data DIR, or --data=DIR if the value begins with a dash"
    ),
    (
      ["--data", "--"], "--data has no value",
      "write --data DIR, or --data=DIR if the value begins with a dash"
    ),
    (
      ["--data="], "--data has no value",
      "write --data DIR, or --data=DIR if the value begins with a dash"
    ),
    (
      ["--data", ""], "--data has no value",
      "write --data DIR, or --data=DIR if the value begins with a dash"
    ),
    (["--json=yes"], #"--json takes no value, "yes" is given"#, "write --json alone"),
    (
      ["adopt", "--to"], "--to has no value",
      "write --to VERSION, or --to=VERSION if the value begins with a dash"
    ),
    (
      ["adopt", "--to", "x"],
      #"--to is "x", neither a number from 1 to 2147483647 nor a release like 1.4.2-1"#,
      "write the number of a script"
    ),
    (
      ["--to=3", "up"], "--to is not for up",
      "remove it, or use it with uplift restore or uplift adopt"
    ),
    (["--verify"], "--verify is not for up", "remove it, or use it with uplift status"),
    (["adpot"], #"no verb is called "adpot""#, "did you mean adopt?"),
    (
      ["baseline"], #"no verb is called "baseline""#,
      "did you mean uplift adopt? It is to find out the version of a database that has lost it"
    ),
    (["--help=me"], #"--help takes no value, "me" is given"#, "write --help alone"),
    (
      ["--if-missing", "sede"], #"--if-missing is "sede", not seed, empty or fail"#,
      "did you mean seed?"
    ),
    (
      ["--if-missing=copy"], #"--if-missing is "copy", not seed, empty or fail"#,
      "write seed, empty or fail"
    ),
    (
      ["--wait", "1s"], #"--wait is "1s", not a number of seconds like 60 or 0.5"#,
      "write digits, with a point before a fraction"
    ),
    (
      ["--wait=-1"], #"--wait is "-1", not a number of seconds like 60 or 0.5"#,
      "write digits, with a point before a fraction"
    ),
    (
      ["--backup=b", "--keep", "0"], #"--keep is "0", not a number from 1 to 1000000"#,
      "write digits, as in --keep 2"
    ),
    (
      ["--foreign-keys", "touch"], #"--foreign-keys is "touch", not touched, all or none"#,
      "did you mean touched?"
    ),
    (
      ["status", "--skip-duplicates"], "--skip-duplicates is not for status",
      "remove it, or use it with uplift up, uplift rehearse, uplift bake, uplift check or uplift release"
    ),
    (["--exit-code"], "--exit-code is not for up", "remove it, or use it with uplift status"),
    (
      ["new", "add", "--import", "old"], #""add" is an unexpected word beside --import"#,
      "remove it: the scripts keep the words of their names"
    ),
    (
      ["new", "--refresh", "a", "--import", "old"], "--import and --refresh exclude each other",
      "use one of them"
    ),
    (
      ["up", "--import", "old"], "--import is not for up", "remove it, or use it with uplift new"
    ),
    (["init"], "init has no name", "name the program, as in uplift init guestbook"),
    (
      ["init", "a", "b"], #""b" is an unexpected argument, init takes one name"#, "remove it"
    ),
    (
      ["init", "../a"], #""../a" is no name for a seed"#,
      "begin with a letter, as in uplift init guestbook; the file gets the ending .db"
    ),
    (
      ["new", " "], "new has no words for the name of the script",
      "say what the script does, as in uplift new add home town"
    ),
    (["status", "--jobs", "2"], "--jobs is not for status", "remove it, or use it with uplift up"),
  ]

  @Test(arguments: table.indices)
  func `says what is wrong with a command line, does nothing and exits with 64`(row: Int) throws {
    let (words, said, remedy) = Self.table[row]
    let service = try Service.upToThree()

    let outcome = try service.uplift(words)

    #expect(
      outcome == Outcome(status: 64, output: "", errors: "uplift: \(said)\n\(remedy)\n"),
      "\(words)")
    #expect(service.scratch.names() == ["Resources"])
  }

  @Test func `needs a seed or a name for the database, if no resources are there`() throws {
    let service = try Service()

    let outcome = try service.shell("cd Resources; uplift up --migrations Migrations")

    #expect(
      outcome
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: the options do not name the database
            name it with --database, or the seed that it is named like with --seed

            """))
  }

  @Test(.tags(.F18))
  func `refuses an argument that is not UTF-8, because it would name another file`()
    throws
  {
    let outcome = try Service().shell(#"uplift --data "$(printf 'd\377')""#)

    #expect(
      outcome
        == Outcome(
          status: 64, output: "",
          errors: """
            uplift: the argument "d\u{fffd}" is not UTF-8
            use names that are UTF-8

            """))
  }

  @Test(arguments: [#"--json --data "$(printf 'd\377')""#, #""$(printf 'd\377')" --json"#])
  func `prints JSON for an argument that is not UTF-8, if --json is given`(words: String) throws {
    let outcome = try Service().shell("uplift " + words)

    #expect(outcome.status == 64)
    #expect(
      outcome.output
        == #"{"command":null,"error":"#
        + plainError(
          "commandLine", exit: 64, "the argument \\\"d\u{fffd}\\\" is not UTF-8",
          "use names that are UTF-8") + "}\n")
  }

  @Test(arguments: [
    "0", "-1", "+1", "1e3", "2147483648", "20240115103000", "x", "1.", "٣", "1.4.2.1", " 3",
  ])
  func `refuses a target that no script can have`(value: String) throws {
    let error = #expect(throws: ErrorReport.self) {
      try Arguments(["up", "--target=" + value])
    }
    #expect(error?.message.hasPrefix("--target is \"\(value)\", neither a number from 1") == true)
  }

  @Test(arguments: [
    "", ".", "1.", ".5", "-1", "+1", "1,5", "1e3", "inf", "1.2.3", "9999999999", "٣",
  ])
  func `refuses a waiting time that is not written in plain digits`(value: String) {
    #expect(Duration(seconds: value) == nil)
  }
}
