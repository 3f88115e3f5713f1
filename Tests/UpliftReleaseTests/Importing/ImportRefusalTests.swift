import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What cannot be taken over stops an import before anything is written.
struct ImportRefusalTests {
  /// Files, and the errors about them.
  static let refusals: [(files: [String: String], errors: [String])] = [
    ([:], [#""old" has no script of another tool"#]),
    (["README": "", "1_a.down.sql": ""], [#""old" has no script of another tool"#]),
    (
      ["schema.sql": "", "1_a.sql": "--", "01event.sql": "--", "+1_x.sql": "", "٣_x.sql": ""],
      ["+1_x.sql", "01event.sql", "schema.sql", "٣_x.sql"].map {
        #""old/\#($0)" does not begin with a number, as in 1_words.sql or V1__words.sql"#
      }
    ),
    (
      // Flyway runs them again, or in place of others.
      [
        "V1__a.sql": "--", "afterMigrate.sql": "", "V__x.sql": "", "R__views.sql": "--",
        "B2__a.sql": "--", "U1__a.sql": "--",
      ],
      ["B2__a.sql", "R__views.sql", "U1__a.sql", "V__x.sql", "afterMigrate.sql"].map {
        #""old/\#($0)" does not begin with a number, as in 1_words.sql or V1__words.sql"#
      }
    ),
    (
      ["1_a.sql": "--", "2_b.go": "", "3_c.JS": "", "5_d.up.fizz": "", "V2__X.java": ""],
      ["2_b.go", "3_c.JS", "5_d.up.fizz", "V2__X.java"].map {
        #""old/\#($0)" has the number of a step and is not a script in SQL"#
      }
    ),
    (
      ["1_a/up.sql": "--", "2_b/down.sql": "", "3_c/up.sql": "", "3_c/migration.sql": ""],
      [
        #""old/2_b" is a directory without exactly one of up.sql and migration.sql"#,
        #""old/3_c" is a directory without exactly one of up.sql and migration.sql"#,
      ]
    ),
    (
      ["1_a.sql": "--", "more/2_b.sql": "--", "meta/0000_snapshot.json": ""],
      ["meta", "more"].map {
        #""old/\#($0)" is a directory without exactly one of up.sql and migration.sql"#
      }
    ),
    (
      [
        "V1__a.sql": "--", "modules/users/V2__b.sql": "--", "often/up.sql": "--",
      ],
      [
        #""old/modules" is a directory without exactly one of up.sql and migration.sql"#,
        #""old/often/up.sql" does not begin with a number, as in 1_words.sql or V1__words.sql"#,
      ]
    ),
    (
      ["1_a.sql": "--", "01_b.sql": "--", "2_c.sql": "--"],
      [#""old/1_a.sql" has the same number as "01_b.sql""#]
    ),
    (
      ["V1__a.sql": "--", "V1.0__b.sql": "--"],
      [#""old/V1__a.sql" has the same number as "V1.0__b.sql""#]
    ),
    (
      ["18446744073709551616_a.sql": "--", "18446744073709551616_b.sql": "--"],
      [#""old/18446744073709551616_b.sql" has the same number as "18446744073709551616_a.sql""#]
    ),
    // Some tools sort time stamps as numbers, and others as text. The odd one is named.
    (
      ["20240101_a.sql": "--", "20180114171611_b.sql": "--", "20180114171612_c.sql": "--"],
      [
        #""old/20240101_a.sql" is numbered or placed in another way than "20180114171611_b.sql""#
      ]
    ),
    (
      ["1_a.sql": "--", "2_b/up.sql": "--", "3_c/up.sql": "--"],
      [#""old/1_a.sql" is numbered or placed in another way than "2_b/up.sql""#]
    ),
    (
      ["1_a.up.sql": "--", "2_b.sql": "--"],
      [#""old/2_b.sql" is numbered or placed in another way than "1_a.up.sql""#]
    ),
    (
      ["1_a.sql": "--", "2_b/up.sql": "--"],
      [#""old/2_b/up.sql" is numbered or placed in another way than "1_a.sql""#]
    ),
    // Texts; every file is checked.
    (
      ["1_a.sql": "SELECT 'x", "2_b.sql": "SELECT 1;", "3_c.sql": "\nSELECT ä; /* x"],
      [
        "old/1_a.sql:1:8: the string that begins here has no end",
        "old/3_c.sql:2:11: the comment that begins here has no end",
      ]
    ),
    (
      ["1_a.sql": "-- migrate:up\nSELECT '\n-- migrate:down\n'"],
      ["old/1_a.sql:2:8: the string that begins here has no end"]
    ),
    (["1_a.sql": "SELECT 1;\u{0}"], ["old/1_a.sql:1:10: a zero byte"]),
    (
      ["1_a.sql": ".read x"],
      [#"old/1_a.sql:1:1: ".read" is a command of the sqlite3 shell, not SQL"#]
    ),
    (
      ["1_a.sql": "-- migrate:down\nSELECT 1;\n-- migrate:up\nSELECT 2;"],
      ["old/1_a.sql:1:1: there is neither a statement nor a comment"]
    ),
    (
      ["1_a.sql": "-- +goose Up\n  -- +goose ENVSUB ON\r\nSELECT 1;"],
      [#"old/1_a.sql:2:3: "-- +goose ENVSUB ON" is a mark that means nothing to Uplift"#]
    ),
    (
      ["1_a.sql": "-- migrate:up foo:bar\nSELECT 1;"],
      [#"old/1_a.sql:1:1: "-- migrate:up foo:bar" is a mark that means nothing to Uplift"#]
    ),
    (
      ["1_a.sql": "-- migrate:up\nSELECT 1;\n-- migrate:down please\nSELECT 2;"],
      [#"old/1_a.sql:3:1: "-- migrate:down please" is a mark that means nothing to Uplift"#]
    ),
    (
      ["1_a.sql": "SELECT 1;\n-- no-transaction please"],
      [#"old/1_a.sql:2:1: "-- no-transaction please" is a mark that means nothing to Uplift"#]
    ),
    (
      ["1_a.sql": "", "2_b.sql": "\u{feff} ;\n"],
      [
        "old/1_a.sql:1:1: there is neither a statement nor a comment",
        "old/2_b.sql:1:1: there is neither a statement nor a comment",
      ]
    ),
    (
      ["1_a.sql": "-- uplift: unfinished\n"],
      ["old/1_a.sql:1:1: the script says that it is unfinished"]
    ),
  ]

  @Test(arguments: refusals.indices)
  func `names each error, and writes nothing`(row: Int) throws {
    let (files, errors) = Self.refusals[row]
    let old = try OldScripts(files)

    #expect(old.refusals() == errors)

    #expect(old.scratch.names("new") == [])
  }

  @Test func `has a remedy and an exit code for each`() throws {
    for (files, _) in Self.refusals {
      let old = try OldScripts(files)
      let failure = try #require(throws: ImportFailure.self) { try old.importAll() }
      #expect(failure.errors.allSatisfy { $0.exitCode == 65 && !$0.remedy.isEmpty })
    }
  }

  @Test func `tells a directory that is not there from one that is a file`() throws {
    let old = try OldScripts(["file": ""])

    for path in ["nosuch", "old/file", "old/file/x"] {
      let failure = try #require(throws: ImportFailure.self) {
        try ScriptImport(of: old.scratch(path), into: old.scratch("new")).write()
      }
      #expect(failure.errors.first == .missingDirectory(old.scratch(path)))
      #expect(failure.errors.first?.exitCode == 66)
    }
  }

  @Test func `refuses a link that leads nowhere and a directory with the name of a script`() throws
  {
    let old = try OldScripts(["1_a.sql/x": ""])
    try FileManager.default.createSymbolicLink(
      atPath: old.scratch("old/2_b.sql"), withDestinationPath: "nosuch")

    let errors = old.refusals()

    #expect(errors.count == 2)
    #expect(errors.first == "old/1_a.sql:1:1: this is not a file")
    #expect(errors.last?.contains("2_b.sql") == true)
    #expect(old.scratch.names("new") == [])
  }

  @Test func `refuses a directory that has a script, even one from the same import`() throws {
    let old = try OldScripts(["1_a.sql": "SELECT 1;", "2_b.sql": "SELECT 2;"])
    let taken = [#""new/0001_a.sql" is there already"#]

    try old.importAll()
    #expect(old.refusals() == taken)
    try old.scratch.remove("new/0002_b.sql")
    #expect(old.refusals() == taken)

    #expect(old.written == ["0001_a.sql": "SELECT 1;"])
  }

  @Test func `refuses the directory of the old scripts under any name`() throws {
    let old = try OldScripts(["1_a.sql": "SELECT 1;"])
    try FileManager.default.createSymbolicLink(
      atPath: old.scratch("link"), withDestinationPath: "old")

    #expect(throws: ImportFailure.self) {
      try ScriptImport(of: old.scratch("old"), into: old.scratch("link")).write()
    }

    #expect(old.scratch.names("old") == ["1_a.sql"])
  }

  @Test func `lets one of several importers at the same moment write`() async throws {
    var files: [String: String] = [:]
    for number in 0..<40 { files["\(number)_x.sql"] = "SELECT \(number);" }
    let old = try OldScripts(files)
    let refusals = await withTaskGroup(of: [String].self) { group in
      for _ in 1...4 { group.addTask { old.refusals() } }
      return await group.reduce(into: []) { $0 += $1 }
    }

    #expect(refusals == Array(repeating: #""new/0001_x.sql" is there already"#, count: 3))
    #expect(old.scratch.names("new").count == 40)
    #expect(old.written["0040_x.sql"] == "SELECT 39;")
  }
}
