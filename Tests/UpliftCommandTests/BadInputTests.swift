import Foundation
import TestSupport
import Testing

/// Bad input gives an error with a name and an exit code, and changes nothing.
struct BadInputTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let exit: Int32
    /// The beginning of standard error.
    let said: String
    var options: [String] = []
    let make: @Sendable (Service) throws -> Void
  }

  /// Mistakes that are found before a database is made.
  static let mistakes = [
    Mistake(testDescription: "no resources", exit: 66, said: #""Resources" is not there"#) {
      try FileManager.default.removeItem(atPath: $0.scratch("Resources"))
    },
    Mistake(
      testDescription: "resources that are a file", exit: 66,
      said: #""Resources/app.db" is not a directory"#,
      options: ["--resources", "Resources/app.db"]
    ) { _ in },
    Mistake(testDescription: "no seed", exit: 66, said: #""Resources" has no seed"#) {
      try FileManager.default.removeItem(atPath: $0.scratch("Resources/app.db"))
    },
    Mistake(
      testDescription: "no directory of scripts", exit: 66,
      said: #"the directory of scripts "Resources/Migrations" is not there"#
    ) { try $0.scratch.remove("Resources/Migrations") },
    Mistake(
      testDescription: "no directory of scripts where resources and database are named", exit: 66,
      said: #"the directory of scripts "Resources/Migrations" is not there"#,
      options: ["--resources", "Resources/", "--database", "data/app.db"]
    ) { try $0.scratch.remove("Resources/Migrations") },
    Mistake(
      testDescription: "a directory of scripts in lower case", exit: 66,
      said: #"the directory of scripts "Resources/Migrations" is not there, "Resources/migrations""#
    ) {
      try FileManager.default.moveItem(
        atPath: $0.scratch("Resources/Migrations"), toPath: $0.scratch("Resources/migrations"))
    },
    Mistake(
      testDescription: "a link to a directory of scripts that is gone", exit: 66,
      said: #""Resources/Migrations" links to "nowhere", which is not there"#
    ) {
      try $0.scratch.remove("Resources/Migrations")
      try FileManager.default.createSymbolicLink(
        atPath: $0.scratch("Resources/Migrations"), withDestinationPath: "nowhere")
    },
    Mistake(
      testDescription: "a seed that is named and missing", exit: 66,
      said: #"the seed "x.db" is not there"#, options: ["--seed", "x.db", "--data", "data"]
    ) { _ in },
    Mistake(
      testDescription: "two seeds", exit: 65,
      said: #""Resources/app.db" and "Resources/b.sqlite3" could each be the seed"#
    ) { try $0.scratch.write("", to: "Resources/b.sqlite3") },
    Mistake(
      testDescription: "a seed that is text", exit: 65,
      said: #"the seed "Resources/app.db" is text, not a database"#
    ) { try $0.scratch.write(String(repeating: "text ", count: 200), to: "Resources/app.db") },
    Mistake(
      testDescription: "an empty seed", exit: 65, said: #"the seed "Resources/app.db" is empty"#
    ) { try $0.scratch.write("", to: "Resources/app.db") },
    Mistake(
      testDescription: "scripts that are named and missing", exit: 66,
      said: #"the directory of scripts "nowhere" is not there"#,
      options: ["--migrations", "nowhere", "--database", "data/app.db"]
    ) { _ in },
    Mistake(
      testDescription: "a script without a number", exit: 65,
      said: #""Resources/Migrations/fix.sql": the name does not begin with a number"#
    ) { try $0.ship("fix.sql", "SELECT 1;") },
    Mistake(
      testDescription: "two scripts with one number", exit: 65,
      said:
        #""Resources/Migrations/0002_add_visits.sql" and "Resources/Migrations/2.sql" have the same number, 2"#
    ) { try $0.ship("2.sql", "SELECT 1;") },
    Mistake(
      testDescription: "a number that is too large", exit: 65,
      said: #""Resources/Migrations/20240115103000.sql": the number is larger than 2147483647"#
    ) { try $0.ship("20240115103000.sql", "SELECT 1;") },
    Mistake(
      testDescription: "the number zero", exit: 65,
      said: #""Resources/Migrations/0.sql": the number is 0"#
    ) { try $0.ship("0.sql", "SELECT 1;") },
    Mistake(
      testDescription: "a target without a script", exit: 65,
      said: "there is no script 9, the newest is 3", options: ["--target", "9"]
    ) { _ in },
    Mistake(
      testDescription: "a target below the seed", exit: 65,
      said: "the seed is at 4, the target is 3", options: ["--target", "3"]
    ) { try Shell.run($0.scratch("Resources/app.db"), "PRAGMA user_version = 4;") },
    Mistake(
      testDescription: "a script that is cut short", exit: 65,
      said: "Resources/Migrations/4.sql:2:1: the comment that begins here has no end"
    ) { try $0.ship("4.sql", "SELECT 1;\n/* and so\n") },
    Mistake(
      testDescription: "no database where there has to be one", exit: 66,
      said: #"the database "data/app.db" is not there"#, options: ["--if-missing", "fail"]
    ) { _ in },
    Mistake(
      testDescription: "a data directory that is a file", exit: 64,
      said: #""Resources/app.db/app.db" lies in "Resources/app.db", which is not a directory"#,
      options: ["--data", "Resources/app.db"]
    ) { _ in },
  ]

  @Test(.tags(.promise1, .promise8, .F24), arguments: mistakes)
  func `makes no database and says why`(mistake: Mistake) throws {
    let service = try Service.upToThree()
    try mistake.make(service)

    let outcome = try service.uplift(mistake.options)

    #expect(outcome.status == mistake.exit)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("uplift: " + mistake.said), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 2, "words and a remedy")
    #expect(service.data == [:])
  }

  @Test(.timeLimit(.minutes(10)), arguments: ["Migrations/4.sql", "app.db"])
  func `does not wait for a writer if a script or the seed is a pipe`(name: String) throws {
    let service = try Service.upToThree()
    try? FileManager.default.removeItem(atPath: service.scratch("Resources/" + name))
    #expect(mkfifo(service.scratch("Resources/" + name), 0o600) == 0)

    let outcome = try service.shell("timeout -s KILL 10 '\(Command.product("uplift").path)' up")

    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("is not a file"))
  }

  /// Databases that cannot be upgraded.
  static let databases = [
    Mistake(
      testDescription: "newer", exit: 76, said: "the database is at 9, newer than the target 3"
    ) { try Shell.run($0.database, "CREATE TABLE t (a); PRAGMA user_version = 9;") },
    Mistake(testDescription: "negative", exit: 78, said: "the database is at -1, which is no") {
      try Shell.run($0.database, "CREATE TABLE t (a); PRAGMA user_version = -1;")
    },
    Mistake(
      testDescription: "not a database", exit: 78, said: #""data/app.db" is not a database"#
    ) { try $0.scratch.write(String(repeating: "text ", count: 200), to: "data/app.db") },
    Mistake(
      testDescription: "cut short", exit: 78, said: #""data/app.db" is damaged: "#
    ) {
      try Shell.run($0.database, "CREATE TABLE t (a); CREATE TABLE u (a); PRAGMA user_version = 2;")
      let whole = $0.scratch.bytes("data/app.db") ?? Data()
      try $0.scratch.write(whole.prefix(8192), to: "data/app.db")
    },
    Mistake(
      testDescription: "unversioned", exit: 78,
      said: #""data/app.db" has tables but no version, the seed is at 1"#
    ) { try Shell.run($0.database, "CREATE TABLE t (a);") },
    Mistake(
      testDescription: "another application's", exit: 78,
      said: #""data/app.db" belongs to application 7, not 5"#
    ) {
      try Shell.run($0.scratch("Resources/app.db"), "PRAGMA application_id = 5;")
      try Shell.run(
        $0.database, "CREATE TABLE t (a); PRAGMA user_version = 2; PRAGMA application_id = 7;")
    },
    Mistake(
      testDescription: "gone, but for its log", exit: 78,
      said: #""data/app.db-wal" is there without its database"#
    ) { try $0.scratch.write("log", to: "data/app.db-wal") },
  ]

  @Test(.tags(.promise2, .promise7), arguments: databases)
  func `leaves a database alone that it cannot upgrade`(mistake: Mistake) throws {
    let service = try Service.upToThree()
    try FileManager.default.createDirectory(
      atPath: service.scratch("data"), withIntermediateDirectories: true)
    try mistake.make(service)
    let before = service.data

    let outcome = try service.uplift(mistake.options)

    #expect(outcome.status == mistake.exit)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix("uplift: " + mistake.said), "\(outcome.errors)")
    #expect(service.data == before)
  }

  @Test(.tags(.promise4, .promise6)) func `keeps the scripts before the one that failed`() throws {
    let service = try Service.upToThree()
    try service.ship("4.sql", "CREATE TABLE four (a);\nINSERT INTO four VALUE (1);\n")

    let outcome = try service.uplift()

    #expect(
      outcome
        == Outcome(
          status: 1,
          output: """
            seeded data/app.db at 1
            applied 0002_add_visits.sql
            applied 0003_index_guests.sql

            """,
          errors: """
            uplift: Resources/Migrations/4.sql:2:18: near "VALUE": syntax error (SQLITE_ERROR, 1); the database is at 3
              INSERT INTO four VALUE (1);
                               ^
            correct the script, then start again; nothing of it was kept

            """))
    #expect(try Shell.version(service.database) == 3)
    #expect(try Shell.run(service.database, ".tables") == "guests  visits")
  }

  @Test(arguments: [
    ("chmod 0 Resources/app.db", "chmod 644 Resources/app.db"),
    ("mkdir data; chmod 555 data", "chmod 755 data"),
    ("chmod 0 Resources", "chmod 755 Resources"),
  ])
  func `says that it may not read the seed or write the data`(forbid: String, allow: String) throws
  {
    let service = try Service.upToThree()
    // Root may read and write everything.
    let user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : ""

    let outcome = try service.shell(
      "chmod 777 .; \(forbid); \(user)'\(Command.product("uplift").path)' up; "
        + "code=$?; \(allow); exit $code")

    #expect(outcome.status == 77, "\(outcome)")
    // Not a temporary file in it.
    if forbid.contains("data") { #expect(outcome.errors.contains("/data\": Permission denied\n")) }
    #expect(service.data == [:])
  }
}
