import CUpliftSQLite
import TestSupport
import Testing
import Uplift

/// Each kind of error, as one comes in a real situation.
struct ErrorKindsTests {
  struct Situation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let report: String
    let reached: Version?
    private let work: @Sendable (Site) throws -> Void

    /// `work` fails with an error that has this report; `site` ships a seed and two scripts.
    init(
      _ title: String, _ report: String, reached: Version? = nil,
      _ work: @escaping @Sendable (_ site: Site) throws -> Void
    ) {
      (testDescription, self.report, self.reached, self.work) = (title, report, reached, work)
    }

    /// The error, and the report of it.
    func run() throws -> (error: UpgradeError, report: String) {
      let site = try Site()
      let thrown = #expect(throws: UpgradeError.self) { try work(site) }
      let error = try #require(thrown)
      return (error, error.report(in: site))
    }
  }

  static let situations =
    release + missing + paths + machine + databases + backups

  @Test(.tags(.promise6), arguments: situations)
  func `says what was found, and what to do`(situation: Situation) throws {
    let (error, report) = try situation.run()

    #expect(report == situation.report)
    #expect(error.reached == situation.reached)
  }

  @Test func `has a situation for each kind`() {
    let kinds = Self.situations.map { $0.report.prefix { $0 != " " } }

    #expect(Set(kinds) == Set(UpgradeError.Kind.allCases.map { $0.rawValue[...] }))
  }

  @Test func `ends no words with a full stop, and begins each remedy in lower case`() {
    let reports = Self.situations.map(\.report) + ScriptErrorsTests.Case.all.map(\.report)

    for report in reports {
      let lines = report.split(separator: "\n")
      let (words, remedy) = (lines.dropFirst().first ?? "", lines.last ?? "")
      #expect(lines.count == 3 || lines.count == 5, "\(report)")
      for line in [words, remedy] { #expect(line.last != "." && !line.contains("!"), "\(line)") }
      #expect(remedy.first?.isUppercase == false || remedy.hasPrefix("Uplift"), "\(remedy)")
    }
  }
}

extension UpgradeError {
  /// The kind and the exit code, the words, the line of the script if there is one, and the remedy.
  ///
  /// Paths begin in the site's directory, or in that of its scripts. `SQLITE` stands for SQLite's
  /// version, and one hash for that of the database's path.
  func report(in site: Site) -> String {
    var lines = ["\(kind.rawValue) (\(exitCode))", description]
    if let excerpt = place?.excerpt {
      lines += ["  " + excerpt.text, String(repeating: " ", count: excerpt.caret + 1) + "^"]
    }
    let shown = [
      (site.scripts + "/", ""), (site.scratch.path + "/", ""), (site.hash, "1f3a9c02"),
      (String(cString: sqlite3_libversion()), "SQLITE"),
    ]
    return shown.reduce((lines + [remedy]).joined(separator: "\n")) {
      $0.replacing($1.0, with: $1.1)
    }
  }
}
