import Testing
import Uplift

/// Pins the words of every error, once: a clause that says what was found, and a line that says
/// what to do.
struct UpgradeErrorTests {
  struct Row: Sendable {
    let error: UpgradeError
    let words: String
    let remedy: String

    init(_ error: UpgradeError, _ words: String, _ remedy: String) {
      self.error = error
      self.words = words
      self.remedy = remedy
    }

    /// A script that failed.
    ///
    /// All rows have the same location and version.
    init(_ reason: UpgradeError.Reason, _ words: String, _ remedy: String) {
      self.init(.failed(UpgradeErrorTests.failure(reason)), words, remedy)
    }
  }

  static func failure(_ reason: UpgradeError.Reason) -> UpgradeError.Failure {
    UpgradeError.Failure(
      script: "2.sql", line: 3, column: 4, text: "x", reason: reason, reached: 1)
  }

  static let rows =
    scripts + resources + machine + refusals + failures + unique + [keptWords] + wholeScripts
    + pragmas + calls

  @Test func `says what was found, and what to do`() {
    for row in Self.rows {
      #expect(row.error.description == row.words)
      #expect(row.error.remedy == row.remedy)
    }
  }

  @Test func `ends no words with a full stop, and begins each remedy in lower case`() {
    for words in Self.rows.flatMap({ [$0.words, $0.remedy] }) {
      #expect(words.last != "." && !words.contains("\n") && !words.contains("!"))
    }
    for remedy in Self.rows.map(\.remedy) {
      #expect(remedy.prefix(1) == remedy.prefix(1).lowercased() || remedy.hasPrefix("Uplift"))
    }
  }
}
