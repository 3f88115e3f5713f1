import TestSupport
import Testing
import UpliftCommand

struct ResourceDirectoryErrorTests {
  static let table:
    [(error: ResourceDirectoryError, said: String, remedy: String, exit: ExitCode)] = [
      (
        .notThere("R"), #""R" is not there"#,
        "name the directory of the seed and the scripts with --resources", .missing
      ),
      (
        .notADirectory("R"), #""R" is not a directory"#,
        "name the directory of the seed and the scripts with --resources", .missing
      ),
      (
        .denied("R", words: "Permission denied"), #""R": Permission denied"#,
        "give the service the right to read it", .denied
      ),
      (
        .unreadable("R", words: "Input/output error"), #""R": Input/output error"#,
        "look at the disk, then start again", .disk
      ),
      (
        .noSeed("R"), #""R" has no seed, a file that ends in .db, .sqlite or .sqlite3"#,
        "ship the seed, or name the database with --database to begin with an empty one", .missing
      ),
      (
        .noMigrations("R/Migrations", other: nil),
        #"the directory of scripts "R/Migrations" is not there"#,
        "ship the scripts in it; if there are none, ship it empty", .missing
      ),
      (
        .noMigrations("R/Migrations", other: "R/migrations"),
        #"the directory of scripts "R/Migrations" is not there, "R/migrations" is"#,
        "rename the directory; its name begins with an upper-case M", .missing
      ),
      (
        .notUTF8("R/\u{fffd}.db"), "the name of the seed \"R/\u{fffd}.db\" is not UTF-8",
        "give it another name", .resources
      ),
      (
        .severalSeeds(first: "R/a.db", second: "R/b.db"),
        #""R/a.db" and "R/b.db" could each be the seed"#,
        "ship one of them, or name it with --seed, together with --resources", .resources
      ),
    ]

  @Test(arguments: table.indices)
  func `has words, a remedy and an exit code`(row: Int) {
    let (error, said, remedy, exit) = Self.table[row]

    #expect(error.description == said)
    #expect(error.remedy == remedy)
    #expect(error.exit == exit)
  }
}
