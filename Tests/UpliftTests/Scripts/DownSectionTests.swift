import TestSupport
import Testing
import Uplift

/// Other tools write the statements that undo a script into the same file.
struct DownSectionTests {
  @Test(
    .tags(.S13),
    arguments: [
      "-- +goose Down", "--\t+goose  DOWN", "-- +migrate Down", "-- +migrate Down notransaction",
      "-- migrate:down", "-- migrate:down transaction:false",
    ])
  func `is refused before anything runs`(mark: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n \t\(mark)\r\nDROP TABLE t;\n")

    let error = try #require(trial.error())

    let words = mark.split { " \t".contains($0) }.joined(separator: " ")
    #expect(
      error.says(
        .scripts,
        "\(trial.path(1)):2:3: \"\(words)\" begins statements that undo those above"))
    #expect(error.remedy.contains("forward"))
    #expect(trial.scratch.names() == ["Migrations"])
  }

  @Test(
    .tags(.S13),
    arguments: [
      "-- Down", "-- Down the road we drop this table", "-- +goose Up", "-- +goose StatementBegin",
      "-- migrate:up", "-- migrate:down by hand", "-- =", "-- ----",
      "INSERT INTO t VALUES(1); -- +goose Down", "/* +goose Down */",
      "CREATE TABLE u(\n-- up\na,\n-- down\nb);",
    ])
  func `is not seen in a comment that says something else`(comment: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n\(comment)\nDROP TABLE t;")

    try trial.upgrade()

    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S13), arguments: ["", "-- DROP TABLE t;", "/* nothing */ ;"])
  func `is accepted if it holds no statement`(rest: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n-- +goose Down\n\(rest)")

    try trial.upgrade()

    #expect(try trial.ask("SELECT name FROM sqlite_master") == "t")
  }
}
