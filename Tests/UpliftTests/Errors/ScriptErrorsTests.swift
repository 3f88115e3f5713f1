import Foundation
import TestSupport
import Testing
import Uplift

/// `errors.txt` has a case for each way in which scripts can be wrong, and the report of the error.
///
/// A line `-- case: TITLE` begins a case, and a line `-- file: NAME` a file of it, which ends before
/// the next such line. `seed.sql` makes the seed. `database.sql` makes the database; without it, the
/// database has no table. The database is at version 1, the seed at 2, if they do not say otherwise.
/// `target.txt` has the target. `expected.txt` has the report; all other files ship as scripts. In
/// them `\xE4` stands for the byte E4. In the report `SQLITE` stands for SQLite's version.
struct ScriptErrorsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let title: String
    var files: [String: String] = [:]
    var testDescription: String { title }

    static let all: [Case] = {
      let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("errors.txt")
      var cases: [Case] = []
      var name = ""
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        if line.hasPrefix("-- case: ") {
          cases.append(Case(title: String(line.dropFirst(9))))
        } else if line.hasPrefix("-- part: ") {
          name = ""
        } else if line.hasPrefix("-- file: ") {
          name = String(line.dropFirst(9))
          cases[cases.endIndex - 1].files[name] = ""
        } else if !name.isEmpty {
          cases[cases.endIndex - 1].files[name, default: ""] += line + "\n"
        }
      }
      return cases
    }()

    /// The report that the error has to have.
    var report: String { String((files["expected.txt"] ?? "").dropLast()) }

    /// Upgrades with the files, and returns the report of the error.
    func run() throws -> String {
      let site = try Site(
        seed: files["seed.sql"].map { "PRAGMA user_version = 2;" + $0 }, scripts: [".keep": ""])
      try site.place("PRAGMA user_version = 1;" + (files["database.sql"] ?? ""))
      let version = try Shell.version(site.database)
      let others = ["seed.sql", "database.sql", "target.txt", "expected.txt"]
      for (name, text) in files where !others.contains(name) {
        try site.scratch.write(Self.bytes(of: text), to: "resources/scripts/" + name)
      }
      let target = files["target.txt"].flatMap { Version(String($0.dropLast())) }
      let upgrader = site.upgrader(target: target)
      let thrown = #expect(throws: UpgradeError.self) { try upgrader.upgrade() }
      #expect(try Shell.version(site.database) == version)
      let error = try #require(thrown)
      return error.report(in: site)
    }

    private static func bytes(of text: String) -> Data {
      let parts = text.components(separatedBy: "\\x")
      return parts.dropFirst().reduce(Data((parts.first ?? "").utf8)) { bytes, part in
        bytes + [UInt8(part.prefix(2), radix: 16) ?? 0] + part.dropFirst(2).utf8
      }
    }
  }

  @Test(.tags(.S8, .S10, .S11, .promise6), arguments: Case.all)
  func `says what was found, where, and what to do`(wrong: Case) throws {
    let report = try wrong.run()
    #expect(report == wrong.report)
  }
}
