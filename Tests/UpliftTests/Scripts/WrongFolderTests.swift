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
    let words: String

    init(_ name: String, _ words: String) {
      description = name
      self.words = words
    }

    /// A folder with a file whose name is wrong.
    init(_ name: String, _ file: String, _ problem: String) {
      self.init(name, "\(Folder.shown(name + "/" + file)): \(problem)")
    }

    /// A folder whose first script has an error at this line and column.
    init(_ name: String, _ line: Int, _ column: Int, _ problem: String) {
      self.init(name, "\(Folder.path(name))/1_users.sql:\(line):\(column): \(problem)")
    }

    static func shown(_ name: String) -> String { "\"\(path(name))\"" }

    static func path(_ name: String) -> String {
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures/" + name).path
    }
  }

  static let folders = [
    Folder("lone-down-script", "2_users.down.sql", "the name says that the script undoes another"),
    Folder("no-number", "add_users.sql", "the name does not begin with a number"),
    Folder("signed-number", "+1_users.sql", "the name does not begin with a number"),
    Folder("foreign-digits", "٣_users.sql", "the name does not begin with a number"),
    Folder("number-zero", "0000_begin.sql", "the number is 0, the first script is 1"),
    Folder(
      "one-number-twice",
      Folder.shown("one-number-twice/002_users.sql") + " and "
        + Folder.shown("one-number-twice/2.sql") + " have the same number, 2"),
    Folder(
      "up-and-down-pair",
      Folder.shown("up-and-down-pair/1_users.down.sql") + " and "
        + Folder.shown("up-and-down-pair/1_users.up.sql") + " have the same number, 1"),
    Folder(
      "up-and-down-pair-of-db",
      Folder.shown("up-and-down-pair-of-db/1_users.down.db.sql") + " and "
        + Folder.shown("up-and-down-pair-of-db/1_users.up.db.sql") + " have the same number, 1"),
    Folder("number-too-large", "2147483648.sql", "the number is larger than 2147483647"),
    Folder("time-stamp", "20240115103000_users.sql", "the number is larger than 2147483647"),
    Folder("date-in-parts", "2025-01-15_users.sql", "the name begins with three numbers"),
    Folder(
      "number-and-dot", "1. Add users.sql", "the name begins with \"1.\", which is not a number"),
    Folder(
      "number-and-letter", "01users.sql", "the name begins with \"01users\", which is not a number"),
    Folder(
      "directory-for-each", "2018-01-14-171611_users",
      "a directory with \"up.sql\" in it, not a script"),
    Folder(
      "directory-beside-a-script", "20210101120000_users",
      "a directory with \"migration.sql\" in it, not a script"),
    Folder("only-directories", "one", "a directory, and there is no script beside it"),
    Folder(
      "plain-and-dotted",
      Folder.shown("plain-and-dotted/1_users.sql") + " has a plain number and "
        + Folder.shown("plain-and-dotted/1.4_names.sql") + " a dotted one"),
    Folder("part-too-large", "1.100.sql", "a part of the number is too large"),
    Folder("first-part-too-large", "2147.0.sql", "a part of the number is too large"),
    Folder(
      "too-many-parts", "1.2.3.4.sql", "the name begins with \"1.2.3.4\", which is not a number"),
    Folder("script-is-a-directory", 1, 1, "this is not a file"),
    Folder("empty-script", 1, 1, "there is neither a statement nor a comment"),
    Folder("unfinished", 1, 1, "the script says that it is unfinished"),
    Folder("down-section", 3, 1, "\"-- migrate:down\" begins statements that undo those above"),
    Folder("latin-1", 1, 26, "bytes that are not UTF-8"),
    Folder("utf-16", 1, 1, "the text is UTF-16, not UTF-8"),
    Folder("zero-byte", 1, 10, "a zero byte"),
    Folder("lone-carriage-return", 1, 13, "a carriage return without a line feed"),
    Folder("unterminated-comment", 1, 11, "the comment that begins here has no end"),
    Folder("unterminated-string", 1, 8, "the string that begins here has no end"),
    Folder("unterminated-name", 1, 8, "the quoted name that begins here has no end"),
    Folder("unterminated-trigger", 1, 1, "the trigger that begins here has no END"),
    Folder("shell-command", 1, 1, "\".tables\" is a command of the sqlite3 shell, not SQL"),
    Folder("unknown-directive", 1, 1, "no directive is called \"no-transactions\""),
    Folder("late-directive", 2, 1, "a directive after the first statement"),
  ]

  @Test(.tags(.S13), arguments: folders)
  func `is refused before there is a database`(folder: Folder) throws {
    let site = try Site(seed: nil, scripts: [:])
    let upgrader = Upgrader(
      database: site.database, migrations: .directory(Folder.path(folder.description)))

    expectError(.scripts, folder.words) { try upgrader.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise1)) func `has an error of its own if it is empty`() throws {
    let site = try Site(seed: nil, scripts: [".keep": ""])

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: nil) }

    #expect(error?.description == "there is no script, and no seed with a version above 0")
  }

  @Test func `has an error of its own if it is empty, and the seed is at 0`() throws {
    let site = try Site(seed: "CREATE TABLE t(a);", scripts: [".keep": ""])

    for target in [nil, 1] as [Version?] {
      expectError(.scripts, "the seed \"\(site.seed)\" is at 0, and there is no script") {
        _ = try site.upgrade(target: target)
      }
    }
  }

  @Test(.tags(.S9, .F18)) func `is refused if it has a name that is not UTF-8`() throws {
    let site = try Site(seed: nil, scripts: ["1_caf\u{fffd}.sql": "CREATE TABLE other(a);"])
    // The shell makes the name, because a String of Swift cannot hold it.
    let made = try Command("/bin/sh").run(
      "-c", "printf 'CREATE TABLE t(a);' > \"$(printf '2_caf\\351.sql')\"", in: site.scripts)
    #expect(made.status == 0)

    expectError(.scripts, "\"\(site.scripts)/2_caf\u{fffd}.sql\": the name is not UTF-8") {
      _ = try site.upgrade(target: nil)
    }
    #expect(site.scratch.names("data") == [])
  }

  @Test func `is in the list of folders`() throws {
    let there = try FileManager.default.contentsOfDirectory(atPath: Folder.path(""))

    #expect(
      there.filter { !$0.hasPrefix(".") }.sorted() == Self.folders.map(\.description).sorted())
  }
}
