import TestSupport
import Testing
import Uplift

/// Other tools write the statements that undo a script into the same file.
struct DownSectionTests {
  @Test(
    .tags(.S13),
    arguments: [
      // Node's sqlite, and those that took its format over.
      "-- Down", "--\tDOWN", "-- down:", "-- Down  ", "---- Down ----", "-- Down Migration",
      // shmig.
      "-- ==== DOWN ====",
      // MyBatis.
      "--//@UNDO", "-- //@UNDO", "-- // @undo", "-- //@UNDO SQL to undo the change",
      // Play.
      "-- !Downs", "--- !Downs", "-- !Downs for all",
      "-- rambler down", "-- +micrate Down", "-- +goose Down", "-- +migrate Down",
      "-- +migrate Down notransaction", "-- migrate:down", "-- migrate:down transaction:false",
      // Mojolicious, tern.
      "-- 2 down", "---- create above / drop below ----", "-- [down]", "-- @down",
    ])
  func `is refused before anything runs`(mark: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n \t\(mark)\r\nDROP TABLE t;\n")

    let error = try #require(trial.error())

    let words = mark.split { " \t".contains($0) }.joined(separator: " ")
    #expect(
      error == .scriptText(file: trial.path(1), line: 2, column: 3, .downSection(words)))
    #expect(error.remedy.contains("forward"))
    #expect(trial.scratch.names() == ["Migrations"])
  }

  @Test(
    .tags(.S13),
    arguments: [
      "-- Down the road we drop this table", "-- down payments", "-- Downs", "-- Up",
      "-- rambler up", "-- +goose Up", "-- +goose StatementBegin", "-- migrate:up", "-- !Ups",
      "-- //", "-- @undo", "-- migrate:down by hand", "-- =", "-- 2 down payments", "-- two down",
      "-- create above", "-- ----", "-- rambler down the road",
      "INSERT INTO t VALUES(1); -- down", "/* Down */", "CREATE TABLE u(\n-- up\na,\n-- down\nb);",
    ])
  func `is not seen in a comment that says something else`(comment: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n\(comment)\nDROP TABLE t;")

    try trial.upgrade()

    #expect(try trial.version() == 1)
  }

  @Test(.tags(.S13), arguments: ["", "-- DROP TABLE t;", "/* nothing */ ;"])
  func `is accepted if it holds no statement`(rest: String) throws {
    let trial = try Trial("CREATE TABLE t(a);\n-- Down\n\(rest)")

    try trial.upgrade()

    #expect(try trial.ask("SELECT name FROM sqlite_master") == "t")
  }
}
