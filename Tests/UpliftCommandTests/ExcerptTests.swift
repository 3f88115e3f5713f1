import TestSupport
import Testing
import Uplift
import UpliftCommand

struct ExcerptTests {
  private func padding(_ text: String, _ caret: Int) -> String {
    UpgradeError.Excerpt(text: text, caret: caret).padding
  }

  @Test func `points at a column, and keeps tabs, so that the caret stands below it`() {
    #expect(padding("CREATE INDEX x ON;", 18) == String(repeating: " ", count: 17))
    #expect(padding("\ta\tb", 4) == "\t \t")
  }

  @Test func `points after the line, or before it, only as far as the line goes`() {
    #expect(padding("", 1) == "" && padding("ab", 90) == "  " && padding("ab", 0) == "")
  }

  @Test func `puts a mark for each character that would move the cursor`() {
    let error = UpgradeError(
      .failed, "words", fix: "do it",
      at: UpgradeError.Place(
        file: "3.sql", line: 1, column: 9,
        excerpt: UpgradeError.Excerpt(text: "a\u{1b}[2J\u{7}\u{9b}\u{202e}b", caret: 9)))

    let lines = ErrorReport(error, signal: nil).text(isColoured: false).split(separator: "\n")

    #expect(lines[1] == "  a\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}b")
    #expect(lines[2] == "          ^")
  }
}

struct ErrorReportTests {
  private let failure = UpgradeError(
    .failed, #"near ";": syntax error (SQLITE_ERROR, 1)"#,
    fix: "correct the script, then start again; nothing of it was kept",
    at: UpgradeError.Place(
      file: "3.sql", line: 4, column: 15,
      excerpt: UpgradeError.Excerpt(text: "CREATE INDEX i ;", caret: 15)),
    reached: 2, sqlite: UpgradeError.SQLiteCode(number: 1, name: "SQLITE_ERROR"))

  @Test(.tags(.promise6)) func `has the location, an excerpt and a remedy`() {
    let text = ErrorReport(failure, signal: nil).text(isColoured: false)

    #expect(
      text == """
        uplift: 3.sql:4:15: near ";": syntax error (SQLITE_ERROR, 1); the database is at 2
          CREATE INDEX i ;
                        ^
        correct the script, then start again; nothing of it was kept
        """)
  }

  @Test func `has colour around its parts, and none in its words`() {
    let text = ErrorReport(failure, signal: nil).text(isColoured: true)

    #expect(text.hasPrefix("\u{1b}[1;31muplift:\u{1b}[0m \u{1b}[1m3.sql:4:15: near"))
    #expect(text.contains("  CREATE INDEX i ;\n"))
    #expect(text.contains("\u{1b}[1;31m^\u{1b}[0m\n"))
  }

  @Test func `is one line, though the name of a file has two`() {
    let error = UpgradeError.missingSeed("a\nb\u{1b}]0;x")

    let text = ErrorReport(error, signal: nil).text(isColoured: false)

    #expect(
      text == """
        uplift: the seed "a\u{fffd}b\u{fffd}]0;x" is not there
        ship the seed, or correct its path
        """)
  }
}
