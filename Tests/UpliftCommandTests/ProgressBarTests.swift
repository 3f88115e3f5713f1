import TestSupport
import Testing
import UpliftCommand

struct ProgressBarTests {
  private let begun = ContinuousClock.now

  private func bar(_ bytes: Int, of size: Int, _ name: String = "0003_index_guests.sql")
    -> ProgressBar
  {
    var bar = ProgressBar(name: name, index: 2, count: 5, begun: begun)
    bar.note(bytes: bytes, of: size, at: begun)
    return bar
  }

  private func text(_ bytes: Int, of size: Int, width: Int = 79, after time: Duration = .zero)
    -> String
  {
    bar(bytes, of: size).text(width: width, at: begun + time)
  }

  @Test func `shows the script, its number and how much of it has run`() {
    #expect(text(45, of: 100) == "0003_index_guests.sql 2/5 [#########...........] 45%")
    #expect(text(100, of: 100) == "0003_index_guests.sql 2/5 [####################] 100%")
    #expect(text(0, of: 0) == "0003_index_guests.sql 2/5 [....................] 0%")
  }

  @Test func `says after two seconds without progress that the script is still running`() {
    #expect(text(1, of: 2, after: .milliseconds(1999)).hasSuffix(" 50%"))
    #expect(text(1, of: 2, after: .seconds(12)).hasSuffix(" 50%, still running (12 s)"))
  }

  @Test func `counts the time since the last progress of a script`() {
    var bar = bar(0, of: 90)

    let atFirst = bar.text(width: 79, at: begun + .seconds(3))
    bar.note(bytes: 30, of: 90, at: begun + .seconds(4))
    bar.note(bytes: 30, of: 90, at: begun + .seconds(6))
    let later = bar.text(width: 79, at: begun + .seconds(8))

    #expect(atFirst.hasSuffix(" 0%, still running (3 s)"))
    #expect(later.hasSuffix(" 33%, still running (4 s)"))
  }

  @Test(arguments: 1...90)
  func `is never wider than the terminal, and keeps the percentage`(width: Int) {
    let long = bar(1, of: 3, "2_" + String(repeating: "x", count: 60) + ".sql")
    let texts = [
      text(1, of: 3, width: width), text(1, of: 3, width: width, after: .seconds(100)),
      long.text(width: width, at: begun), long.text(width: width, at: begun + .seconds(100)),
    ]
    let waiting = ProgressBar.waiting(
      for: "data/a/rather/long/path/to/the/guestbook.db", .seconds(3), width: width)

    for text in texts {
      #expect(1...width ~= text.count)
      if width >= 3 { #expect(text.contains("33%")) }
    }
    #expect(1...width ~= waiting.count)
  }

  @Test func `leaves out the bar first, then cuts the name, then the words`() {
    let bar = bar(1, of: 3, "0012_a_rather_long_name_for_a_script.sql")
    func text(_ width: Int) -> String { bar.text(width: width, at: begun + .seconds(5)) }

    #expect(text(79).hasPrefix("0012_a_rather_long_name_for_a_script.sql 2/5 33%, still running"))
    #expect(text(49) == "0012_a_rather_long_… 2/5 33%, still running (5 s)")
    #expect(text(39) == "0012_a_rather_long_name_… 2/5 33% (5 s)")
    #expect(text(16) == "0012_a_… 2/5 33%")
    #expect(text(6) == "0… 33%")
    #expect(text(2) == "33")
  }

  @Test func `cuts a long name, so that there is room for the bar`() {
    let name = "2_" + String(repeating: "x", count: 70) + ".sql"

    let text = bar(0, of: 0, name).text(width: 79, at: begun)

    #expect(text == name.prefix(39) + "… 2/5 [....................] 0%")
  }

  @Test func `says what it waits for, and for how long`() {
    #expect(
      ProgressBar.waiting(for: "data/x.db", .milliseconds(3900), width: 79)
        == "waiting for data/x.db (3 s)")
  }

  @Test func `stays one line, though the name of a script has two`() {
    let text = bar(0, of: 0, "2_a\nb\tc\u{1b}[2J.sql").text(width: 79, at: begun)

    #expect(text.hasPrefix("2_a\u{fffd}b c\u{fffd}[2J.sql 2/5 ["))
  }
}
