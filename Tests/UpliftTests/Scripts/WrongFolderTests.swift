import Foundation
import TestSupport
import Testing
import Uplift

/// A folder for each way in which a folder of scripts can be wrong.
///
/// Nothing is run.
struct WrongFolderTests {
  struct Folder: Sendable, CustomStringConvertible {
    let description: String
    let error: UpgradeError

    init(_ name: String, _ error: UpgradeError) {
      description = name
      self.error = error
    }

    /// A folder with a file whose name is wrong.
    init(_ name: String, _ file: String, _ problem: UpgradeError.NameProblem) {
      self.init(name, .scriptName(file: Folder.path(name) + "/" + file, problem))
    }

    /// A folder whose first script has an error at this line and column.
    init(_ name: String, _ line: Int, _ column: Int, _ problem: UpgradeError.TextProblem) {
      let file = Folder.path(name) + "/1_users.sql"
      self.init(name, .scriptText(file: file, line: line, column: column, problem))
    }

    static func path(_ name: String) -> String {
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/" + name).path
    }
  }

  static let folders = [
    Folder("lone-down-script", "2_users.down.sql", .goesDown),
    Folder("no-number", "add_users.sql", .noNumber),
    Folder("signed-number", "+1_users.sql", .noNumber),
    Folder("foreign-digits", "٣_users.sql", .noNumber),
    Folder("number-zero", "0000_begin.sql", .zero),
    Folder(
      "one-number-twice",
      .duplicate(
        2, first: Folder.path("one-number-twice/002_users.sql"),
        second: Folder.path("one-number-twice/2.sql"))),
    Folder(
      "up-and-down-pair",
      .duplicate(
        1, first: Folder.path("up-and-down-pair/1_users.down.sql"),
        second: Folder.path("up-and-down-pair/1_users.up.sql"))),
    Folder(
      "up-and-down-pair-of-db",
      .duplicate(
        1, first: Folder.path("up-and-down-pair-of-db/1_users.down.db.sql"),
        second: Folder.path("up-and-down-pair-of-db/1_users.up.db.sql"))),
    Folder("number-too-large", "2147483648.sql", .tooLarge),
    Folder("time-stamp", "20240115103000_users.sql", .tooLarge),
    Folder("date-in-parts", "2025-01-15_users.sql", .date),
    Folder(
      "number-and-dot", "1. Add users.sql", .notANumber("1.")),
    Folder(
      "number-and-letter", "01users.sql", .notANumber("01users")),
    Folder(
      "directory-for-each", "2018-01-14-171611_users",
      .directory(script: "up.sql")),
    Folder(
      "directory-beside-a-script", "20210101120000_users",
      .directory(script: "migration.sql")),
    Folder("only-directories", "one", .onlyDirectory),
    Folder(
      "plain-and-dotted",
      .mixedNumbers(
        plain: Folder.path("plain-and-dotted/1_users.sql"),
        dotted: Folder.path("plain-and-dotted/1.4_names.sql"))),
    Folder("part-too-large", "1.100.sql", .partTooLarge),
    Folder("first-part-too-large", "2147.0.sql", .partTooLarge),
    Folder(
      "too-many-parts", "1.2.3.4.sql", .notANumber("1.2.3.4")),
    Folder("script-is-a-directory", 1, 1, .notAFile),
    Folder("empty-script", 1, 1, .noStatement),
    Folder("unfinished", 1, 1, .unfinished),
    Folder("down-section", 3, 1, .downSection("-- migrate:down")),
    Folder("latin-1", 1, 26, .notUTF8),
    Folder("utf-16", 1, 1, .utf16),
    Folder("zero-byte", 1, 10, .zeroByte),
    Folder("lone-carriage-return", 1, 13, .loneCarriageReturn),
    Folder("unterminated-comment", 1, 11, .unterminatedComment),
    Folder("unterminated-string", 1, 8, .unterminatedString),
    Folder("unterminated-name", 1, 8, .unterminatedIdentifier),
    Folder("unterminated-trigger", 1, 1, .unterminatedTrigger),
    Folder("shell-command", 1, 1, .dotCommand(".tables")),
    Folder("unknown-directive", 1, 1, .unknownDirective("no-transactions")),
    Folder("late-directive", 2, 1, .lateDirective),
  ]

  @Test(.tags(.S13), arguments: folders)
  func `is refused before there is a database`(folder: Folder) throws {
    let site = try Site(seed: nil, scripts: [:])
    let upgrader = Upgrader(
      database: site.database, migrations: .directory(Folder.path(folder.description)))

    #expect(throws: folder.error) { try upgrader.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise1)) func `has an error of its own if it is empty`() throws {
    let site = try Site(seed: nil, scripts: [".keep": ""])

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(error?.description == "there is no script, and no seed with a version above 0")
  }

  @Test func `has an error of its own if it is empty, and the seed is at 0`() throws {
    let site = try Site(seed: "CREATE TABLE t(a);", scripts: [".keep": ""])

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(error == .targetNotShipped(0, newest: nil, seed: site.seed))
  }

  @Test(.tags(.S9, .F18)) func `is refused if it has a name that is not UTF-8`() throws {
    let site = try Site(seed: nil, scripts: ["1_caf\u{fffd}.sql": "CREATE TABLE other(a);"])
    // The shell makes the name, because a String of Swift cannot hold it.
    let made = try Command("/bin/sh").run(
      "-c", "printf 'CREATE TABLE t(a);' > \"$(printf '2_caf\\351.sql')\"", in: site.scripts)
    #expect(made.status == 0)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(
      error == .scriptName(file: site.scripts + "/2_caf\u{fffd}.sql", .notUTF8))
    #expect(site.scratch.names("data") == [])
  }

  @Test func `is in the list of folders`() throws {
    let there = try FileManager.default.contentsOfDirectory(atPath: Folder.path(""))

    #expect(
      there.filter { !$0.hasPrefix(".") }.sorted() == Self.folders.map(\.description).sorted())
  }
}
