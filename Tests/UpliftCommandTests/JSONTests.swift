import Foundation
import TestSupport
import Testing
import Uplift
import UpliftCommand

struct JSONTests {
  @Test func `writes every character so that a parser reads it back, and a terminal is safe`()
    throws
  {
    let every = (0...0x2100).compactMap(Unicode.Scalar.init).map(String.init).joined()
    let text = every + "\u{fffd}\u{10ffff}\r\n\"\\/"

    let written = JSON.object([("text", .string(text))]).text

    #expect(try members(of: written) == ["text": text])
    #expect(
      !written.unicodeScalars.contains {
        $0.value < 0x20 || (0x7f...0x9f).contains($0.value) || [0x2028, 0x2029].contains($0.value)
      })
  }

  @Test func `writes seconds with three decimals`() {
    let durations: [Duration] = [
      .zero, .microseconds(1999), .milliseconds(40), .milliseconds(1234), .seconds(86_400),
    ]

    let value = JSON.array(durations.map { .seconds($0) })

    #expect(value.text == "[0.000,0.001,0.040,1.234,86400.000]")
  }

  @Test func `keeps the order of its members`() {
    let value = JSON.object([
      ("b", .array([.null, .bool(true), .bool(false), .number(-7)])),
      ("a", .object([])), ("\"", .array([])),
    ])

    #expect(value.text == #"{"b":[null,true,false,-7],"a":{},"\"":[]}"#)
  }
}

struct JSONReportTests {
  @Test func `shows a first boot`() throws {
    let outcome = try Service.upToThree().uplift("--json")

    #expect(
      Outcome(
        status: outcome.status, output: withoutSeconds(outcome.output), errors: outcome.errors)
        == Outcome(
          status: 0,
          output:
            #"{"command":"up","database":"data/app.db","target":3,"start":null,"seeded":true,"#
            + #""created":false,"backup":null,"end":3,"applied":[{"version":2,"name":"0002_add_visits.sql"},"#
            + #"{"version":3,"name":"0003_index_guests.sql"}],"skipped":[]}"# + "\n",
          errors: ""))
  }

  @Test func `shows a second boot`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift()

    let outcome = try service.uplift("--json", "--quiet")

    #expect(
      try members(of: withoutSeconds(outcome.output)) == [
        "command": "up", "database": "data/app.db", "target": 3, "start": 3, "seeded": false,
        "created": false, "backup": NSNull(), "end": 3, "applied": [], "skipped": [],
      ])
  }

  @Test func `shows that an empty database was created`() throws {
    let service = try Service(scripts: ["1.sql": "CREATE TABLE t (a);"])

    let outcome = try service.uplift("--json", "--if-missing", "empty")

    #expect(
      try members(of: withoutSeconds(outcome.output)) == [
        "command": "up", "database": "data/app.db", "target": 1, "start": NSNull(),
        "seeded": false, "created": true, "backup": NSNull(), "end": 1,
        "applied": [["version": 1, "name": "1.sql"]],
        "skipped": [],
      ])
  }

  @Test(.tags(.promise6)) func `shows where a script failed, and which scripts were kept`() throws {
    let service = try Service.upToThree()
    try service.ship("0004_oops.sql", "SELECT 1;\n\tINSERT INTO nowhere VALUES ('é');\n")

    let outcome = try service.uplift("--json", "--target=4")

    let error: [String: Any] = [
      "kind": "failed",
      "message":
        "Resources/Migrations/0004_oops.sql:2:2: no such table: nowhere (SQLITE_ERROR, 1); the database is at 3",
      "remedy": "correct the script, then start again; nothing of it was kept",
      "exit": 1, "file": "Resources/Migrations/0004_oops.sql", "line": 2, "column": 2,
      "text": "\tINSERT INTO nowhere VALUES ('é');", "caret": 2,
      "sqlite": ["code": 1, "name": "SQLITE_ERROR"], "reached": 3, "orphans": NSNull(),
    ]
    #expect(outcome.status == 1)
    #expect(
      try members(of: withoutSeconds(outcome.output)) == [
        "command": "up", "database": "data/app.db", "target": 4, "start": NSNull(),
        "seeded": true, "created": false, "backup": NSNull(), "end": 3,
        "applied": [
          ["version": 2, "name": "0002_add_visits.sql"],
          ["version": 3, "name": "0003_index_guests.sql"],
        ],
        "skipped": [],
        "error": error,
      ])
    #expect(
      outcome.errors.hasPrefix("uplift: Resources/Migrations/0004_oops.sql:2:2: no such table"))
  }

  @Test(.tags(.promise10)) func `shows the orphans that a script made`() throws {
    let service = try Service(scripts: [
      "2.sql": "CREATE TABLE child(up REFERENCES guests); INSERT INTO child VALUES (7);"
    ])

    let error = try members(of: service.uplift("--json").output)["error"] as? [String: Any]

    #expect(
      error?["orphans"] as? NSDictionary == [
        "count": 1,
        "rows": [["table": "child", "row": 1, "columns": ["up"], "parent": "guests"]],
      ])
  }

  @Test(.tags(.promise6)) func `shows where in the part of a long line it failed`() throws {
    let service = try Service(scripts: [
      "2.sql": "SELECT " + String(repeating: "'ä', ", count: 100) + "nosuch, 'ö', 'ü';\n"
    ])

    let outcome = try service.uplift("--json")

    let error = try members(of: outcome.output)["error"] as? [String: Any] ?? [:]
    let text = try #require(error["text"] as? String)
    let caret = try #require(error["caret"] as? Int)
    #expect(error["column"] as? Int == 508)
    #expect(text.dropFirst(caret - 1) == "nosuch, 'ö', 'ü';")
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines[1] == "  " + text)
    #expect(lines[2] == String(repeating: " ", count: 1 + caret) + "^")
    #expect(lines[1].dropFirst(1 + caret).hasPrefix("nosuch"))
  }

  @Test(.tags(.promise6)) func `has no line or column for a script that failed as a whole`() throws
  {
    let error = UpgradeError(
      .failed, "the script begins a transaction and does not commit it",
      fix: "remove the BEGIN: each script runs in a transaction of its own",
      at: UpgradeError.Place(file: "m/2.sql"), reached: 1)
    let report = ErrorReport(error, signal: nil)

    #expect(
      try members(of: report.json.text) == [
        "kind": "failed",
        "message":
          "m/2.sql: the script begins a transaction and does not commit it; the database is at 1",
        "remedy": "remove the BEGIN: each script runs in a transaction of its own", "exit": 1,
        "file": "m/2.sql", "line": NSNull(), "column": NSNull(), "text": NSNull(),
        "caret": NSNull(), "sqlite": NSNull(), "reached": 1, "orphans": NSNull(),
      ])
    #expect(
      report.text(isColoured: false)
        == """
        uplift: m/2.sql: the script begins a transaction and does not commit it; the database is at 1
        remove the BEGIN: each script runs in a transaction of its own
        """)
  }

  @Test func `shows the error of a wrong command line`() throws {
    let outcome = try Service().uplift("--json", "--targt", "3")

    #expect(
      outcome.output
        == #"{"command":null,"error":"#
        + plainError(
          "commandLine", exit: 64, #"no option is called \"--targt\""#, "did you mean --target?")
        + "}\n")
  }

  @Test func `shows the error of missing resources`() throws {
    let outcome = try Service().uplift("--json", "--resources", "nowhere")

    #expect(
      try members(of: withoutSeconds(outcome.output)) == [
        "command": "up", "database": NSNull(), "target": NSNull(), "start": NSNull(),
        "seeded": false, "created": false, "backup": NSNull(), "end": NSNull(), "applied": [],
        "skipped": [],
        "error": [
          "kind": "missing", "message": #""nowhere" is not there"#,
          "remedy": "name the directory of the seed and the scripts with --resources; "
            + "uplift init NAME makes one",
          "exit": 66, "file": NSNull(), "line": NSNull(), "column": NSNull(), "text": NSNull(),
          "caret": NSNull(), "sqlite": NSNull(), "reached": NSNull(), "orphans": NSNull(),
        ] as [String: Any],
      ])
  }

  @Test(.tags(.promise6))
  func `shows where an existing database began, though a script was kept before one failed`()
    throws
  {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")
    try service.ship("4.sql", "nonsense;")

    let outcome = try service.uplift("--json")

    let report = try members(of: outcome.output)
    #expect(report["start"] as? Int == 2)
    #expect(report["end"] as? Int == 3)
    #expect(report["target"] as? Int == 4)
    #expect(report["seeded"] as? Bool == false)
  }

  @Test func `shows no first version of a seeded database, though its first script failed`()
    throws
  {
    let service = try Service(scripts: ["2.sql": "nonsense;"])

    let report = try members(of: try service.uplift("--json").output)

    #expect(report["start"] is NSNull)
    #expect(report["end"] as? Int == 1)
  }

  @Test func `shows an unchanged version if the scripts could not be read`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")
    try service.ship("4.sql", "/* cut short")

    let report = try members(of: try service.uplift("--json").output)

    #expect(report["start"] as? Int == 2)
    #expect(report["end"] as? Int == 2)
    #expect(report["applied"] as? NSArray == [])
  }

  @Test func `shows the target whenever the scripts and the seed give one`() throws {
    let service = try Service.upToThree()
    func target(_ options: String...) throws -> Any? {
      try members(of: service.uplift(options + ["--json"]).output)["target"]
    }

    let missing = try target("--if-missing", "fail")
    try service.scratch.write(String(repeating: "text ", count: 200), to: "data/app.db")
    let damaged = try target()
    let looked = try target("status")
    try service.ship("3.sql", "SELECT 1;")
    let duplicate = try target()
    let given = try target("--target", "7")
    try service.scratch.remove("Resources/app.db")
    let unshipped = try target("--target", "7")

    #expect(missing as? Int == 3)
    #expect(damaged as? Int == 3)
    #expect(looked as? Int == 3)
    #expect(duplicate is NSNull)
    #expect(given as? Int == 7)
    #expect(unshipped as? Int == 7)
  }

  @Test func `shows how long each script took`() throws {
    let service = try Service(scripts: ["2_slow.sql": Service.slow, "3.sql": "SELECT 1;"])

    let report = try members(of: try service.uplift("--json").output)

    let applied = try #require(report["applied"] as? [NSDictionary])
    let seconds = applied.compactMap { $0["seconds"] as? Double }
    #expect(seconds.count == 2)
    #expect(seconds[0] >= 0.1)
    #expect(seconds[1] < seconds[0])
  }

  @Test func `shows where the text of a script is wrong`() throws {
    let service = try Service(scripts: ["2.sql": "SELECT 1;\n  /* cut short"])

    let report = try members(of: try service.uplift("--json").output)

    #expect(
      report["error"] as? NSDictionary == [
        "kind": "scripts",
        "message": "Resources/Migrations/2.sql:2:3: the comment that begins here has no end",
        "remedy": "end it with */, or look whether the file is cut short", "exit": 65,
        "file": "Resources/Migrations/2.sql", "line": 2, "column": 3, "text": NSNull(),
        "caret": NSNull(), "sqlite": NSNull(), "reached": NSNull(), "orphans": NSNull(),
      ])
  }

  @Test(.tags(.S17)) func `shows the statements that were skipped before a script failed`() throws {
    let service = try Service(scripts: [
      "2.sql": "CREATE TABLE guests (name TEXT);", "3.sql": "nonsense;",
    ])

    let report = try members(of: try service.uplift("--json", "--skip-duplicates").output)

    let skipped = try #require(report["skipped"] as? [NSDictionary])
    #expect(skipped.map { $0["name"] as? String } == ["2.sql"])
    #expect(report["end"] as? Int == 2)
  }

  @Test(.tags(.S17)) func `shows the statements that were skipped`() throws {
    let service = try Service(scripts: [
      "2.sql": "SELECT 1;\nCREATE TABLE guests (name TEXT);"
    ])

    let report = try members(of: try service.uplift("--json", "--skip-duplicates").output)

    #expect(
      report["skipped"] as? NSArray == [
        [
          "version": 2, "name": "2.sql", "line": 2, "text": "CREATE TABLE guests (name TEXT);",
          "words": "table guests already exists",
        ] as [String: Any]
      ])
  }
}
