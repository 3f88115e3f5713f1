import TestSupport
import Testing
import Uplift
import UpliftCommand

struct ExcerptTests {
  @Test func `points at a column`() {
    let excerpt = TerminalExcerpt(of: "CREATE INDEX x ON;", at: 18)

    #expect(excerpt.text == "  CREATE INDEX x ON;")
    #expect(excerpt.padding == "                   ")
  }

  @Test func `keeps tabs, so that the caret stands below its column`() {
    let excerpt = TerminalExcerpt(of: "\ta\tb", at: 4)

    #expect(excerpt.text == "  \ta\tb")
    #expect(excerpt.padding == "  \t \t")
  }

  @Test func `puts a mark for each character that would move the cursor`() {
    let excerpt = TerminalExcerpt(of: "a\u{1b}[2J\u{7}\u{9b}\u{202e}b", at: 9)

    #expect(excerpt.text == "  a\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}b")
  }

  @Test func `points after the line, or before it, only as far as the line goes`() {
    #expect(TerminalExcerpt(of: "", at: 1).padding == "  ")
    #expect(TerminalExcerpt(of: "ab", at: 90).padding == "    ")
    #expect(TerminalExcerpt(of: "ab", at: 0).padding == "  ")
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
