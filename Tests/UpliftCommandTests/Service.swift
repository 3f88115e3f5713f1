import Foundation
import TestSupport
import UpliftCommand

/// A program as it is deployed: its resources, and a directory for its data.
struct Service {
  let scratch: Scratch

  /// A seed at version 1 with one table, and scripts by their names.
  init(scripts: [String: String] = [:]) throws {
    scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch("Resources/Migrations"), withIntermediateDirectories: true)
    try Shell.run(
      scratch("Resources/app.db"), "CREATE TABLE guests (name TEXT); PRAGMA user_version = 1;")
    for (name, sql) in scripts { try ship(name, sql) }
  }

  /// A statement that takes some tenths of a second.
  static let slow =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000) "
    + "SELECT count(*) FROM n;"

  /// Two good scripts.
  static func upToThree() throws -> Service {
    try Service(scripts: [
      "0002_add_visits.sql": "CREATE TABLE visits (guest TEXT);",
      "0003_index_guests.sql": "CREATE INDEX guests_by_name ON guests (name);",
    ])
  }

  func ship(_ name: String, _ sql: String) throws {
    try scratch.write(sql, to: "Resources/Migrations/" + name)
  }

  /// Runs the command in the directory of the program.
  func uplift(_ arguments: String...) throws -> Outcome {
    try uplift(arguments)
  }

  func uplift(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try timed(arguments, environment: environment).withoutDurations
  }

  /// The same, with the duration of each script, which depends on the machine.
  func timed(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    // Without a verb, it is `up`.
    let isOption = arguments.first?.hasPrefix("-") ?? true
    let words = Set(["--help", "--version", "-h", "-V", "-", "--"] + Verb.allCases.map(\.rawValue))
    let hasVerb = !isOption || arguments.contains(where: words.contains)
    return try Command.product("uplift").run(
      arguments: (hasVerb ? [] : ["up"]) + arguments, in: scratch.path, environment: environment)
  }

  /// Runs a shell script, in which `uplift` is the command.
  func shell(_ line: String) throws -> Outcome {
    let path = Command.product("uplift").path
    return try Command("/bin/sh").run(
      "-c",
      "uplift() { case \"$1\" in '' | --json | --quiet) set -- up \"$@\" ;; esac; '\(path)' \"$@\"; }\n"
        + line, in: scratch.path
    ).withoutDurations
  }

  /// Makes the program's database, or changes it, by SQL.
  func place(_ sql: String) throws {
    try scratch.write("", to: "data/app.db")
    try Shell.run(database, sql)
  }

  var database: String { scratch("data/app.db") }

  /// Every file of the data directory, with its bytes.
  var data: [String: Data] {
    scratch.names("data").reduce(into: [:]) { $0[$1] = scratch.bytes("data/" + $1) }
  }
}

/// The members of a JSON object.
func members(of text: String) throws -> NSDictionary {
  let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
  return value as? NSDictionary ?? [:]
}

/// The same JSON without the duration of each script.
func withoutSeconds(_ text: String) -> String {
  text.replacing(/,"seconds":[0-9]+\.[0-9]{3}/, with: "")
}

extension Outcome {
  /// The same without the duration of each script: on a busy machine any script takes long.
  var withoutDurations: Outcome {
    Outcome(
      status: status, output: output.replacing(#/ \([0-9]+\.[0-9] s\)/#, with: ""), errors: errors)
  }
}

/// The member `error` of an object, of an error that has nothing but words.
func plainError(_ kind: String, exit: Int, _ message: String, _ remedy: String) -> String {
  #"{"kind":"\#(kind)","exit":\#(exit),"message":"\#(message)","remedy":"\#(remedy)","file":null,"#
    + #""line":null,"column":null,"text":null,"caret":null,"sqlite":null,"reached":null,"orphans":null}"#
}
