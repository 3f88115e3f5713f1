import Foundation
import TestSupport
import Testing
import Uplift

/// A folder of scripts for each way in which one can be wrong: refused before anything is run.
struct WrongFolderTests {
  struct Folder: Sendable, CustomStringConvertible {
    let description: String
    let error: UpgradeError

    init(_ name: String, _ error: UpgradeError) {
      description = name
      self.error = error
    }

    /// The first script has the error at this place.
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
    Folder("no-number", .scriptName(file: "add_users.sql", .noNumber)),
    Folder("signed-number", .scriptName(file: "+1_users.sql", .noNumber)),
    Folder("foreign-digits", .scriptName(file: "٣_users.sql", .noNumber)),
    Folder("number-zero", .scriptName(file: "0000_begin.sql", .zero)),
    Folder("one-number-twice", .duplicate(2, first: "002_users.sql", second: "2.sql")),
    Folder(
      "up-and-down-pair", .duplicate(1, first: "1_users.down.sql", second: "1_users.up.sql")),
    Folder(
      "number-too-large", .scriptName(file: "2147483648.sql", .tooLarge(suggestion: nil))),
    Folder(
      "time-stamp",
      .scriptName(file: "20240115103000_users.sql", .tooLarge(suggestion: "2024011501"))),
    Folder("plain-and-dotted", .mixedNumbers(plain: "1_users.sql", dotted: "1.4_names.sql")),
    Folder("part-too-large", .scriptName(file: "1.100.sql", .partTooLarge)),
    Folder("first-part-too-large", .scriptName(file: "2147.0.sql", .partTooLarge)),
    Folder("too-many-parts", .scriptName(file: "1.2.3.4.sql", .noNumber)),
    Folder("script-is-a-directory", 1, 1, .notAFile),
    Folder("empty-script", 1, 1, .noStatement),
    Folder("only-comments", 1, 1, .noStatement),
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

  @Test func `is known by all that are there`() throws {
    let there = try FileManager.default.contentsOfDirectory(atPath: Folder.path(""))

    #expect(
      there.filter { !$0.hasPrefix(".") }.sorted() == Self.folders.map(\.description).sorted())
  }
}
