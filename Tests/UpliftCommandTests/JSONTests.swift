import Foundation
import TestSupport
import Testing
import UpliftCommand

struct JSONTests {
  @Test func `writes every character so that a parser reads it back`() throws {
    let every = (0...0x2100).compactMap(Unicode.Scalar.init).map(String.init).joined()
    let text = every + "\u{fffd}\u{10ffff}\r\n\"\\/"

    let written = JSON.object([("text", .string(text))]).text

    #expect(try members(of: written) == ["text": text])
    #expect(!written.unicodeScalars.contains { $0.value < 0x20 })
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
  @Test func `tells a first boot`() throws {
    let outcome = try Service.upToThree().uplift("--json")

    #expect(
      outcome
        == Outcome(
          status: 0,
          output:
            #"{"command":"up","database":"data/app.db","target":3,"start":null,"seeded":true,"#
            + #""created":false,"end":3,"applied":[{"version":2,"name":"0002_add_visits.sql"},"#
            + #"{"version":3,"name":"0003_index_guests.sql"}]}"# + "\n",
          errors: ""))
  }

  @Test func `tells a second boot`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift()

    let outcome = try service.uplift("--json", "--quiet")

    #expect(
      try members(of: outcome.output) == [
        "command": "up", "database": "data/app.db", "target": 3, "start": 3, "seeded": false,
        "created": false, "end": 3, "applied": [],
      ])
  }

  @Test func `tells that an empty database was created`() throws {
    let service = try Service(scripts: ["1.sql": "CREATE TABLE t (a);"])

    let outcome = try service.uplift("--json", "--if-missing", "empty")

    #expect(
      try members(of: outcome.output) == [
        "command": "up", "database": "data/app.db", "target": 1, "start": NSNull(),
        "seeded": false, "created": true, "end": 1, "applied": [["version": 1, "name": "1.sql"]],
      ])
  }

  @Test(.tags(.promise6)) func `tells where a script failed, and what was kept`() throws {
    let service = try Service.upToThree()
    try service.ship("0004_oops.sql", "SELECT 1;\n\tINSERT INTO nowhere VALUES ('é');\n")

    let outcome = try service.uplift("--json", "--target=4")

    let error: [String: Any] = [
      "kind": "failed",
      "message":
        "0004_oops.sql:2:2: no such table: nowhere (SQLITE_ERROR, 1); the database is at 3",
      "remedy": "correct the script, then start again; nothing of it was kept",
      "exit": 1, "file": "0004_oops.sql", "line": 2, "column": 2,
      "text": "\tINSERT INTO nowhere VALUES ('é');", "code": 1, "name": "SQLITE_ERROR",
      "reached": 3,
    ]
    #expect(outcome.status == 1)
    #expect(
      try members(of: outcome.output) == [
        "command": "up", "database": "data/app.db", "target": 4, "start": NSNull(),
        "seeded": true, "created": false, "end": 3,
        "applied": [
          ["version": 2, "name": "0002_add_visits.sql"],
          ["version": 3, "name": "0003_index_guests.sql"],
        ],
        "error": error,
      ])
    #expect(outcome.errors.hasPrefix("uplift: 0004_oops.sql:2:2: no such table"))
  }

  @Test func `tells of a command line that is wrong`() throws {
    let outcome = try Service().uplift("--json", "--targt", "3")

    #expect(
      outcome.output
        == #"{"command":null,"error":{"kind":"commandLine","message":"no option is called "#
        + #"\"--targt\"","remedy":"did you mean --target?","exit":64}}"# + "\n")
  }

  @Test func `tells of resources that are not there`() throws {
    let outcome = try Service().uplift("--json", "--resources", "nowhere")

    #expect(
      try members(of: outcome.output) == [
        "command": "up", "database": NSNull(), "target": NSNull(), "start": NSNull(),
        "seeded": false, "created": false, "end": NSNull(), "applied": [],
        "error": [
          "kind": "resources", "message": #""nowhere" is not there"#,
          "remedy": "name the directory of the seed and the scripts with --resources",
          "exit": 66,
        ] as [String: Any],
      ])
  }
}
