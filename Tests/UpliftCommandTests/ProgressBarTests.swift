import Testing
import UpliftCommand

struct ProgressBarTests {
  private func bar(_ bytes: Int, of size: Int, timeAtByte: Duration = .zero) -> ProgressBar {
    var script = ProgressBar.Script(name: "0003_index_guests.sql", index: 2, count: 5)
    script.note(bytes: bytes, of: size)
    return .running(script, timeAtByte: timeAtByte)
  }

  @Test func `shows the script, its number and how much of it has run`() {
    #expect(
      bar(45, of: 100).text(width: 79)
        == "0003_index_guests.sql 2/5 [#########...........] 45%")
    #expect(
      bar(100, of: 100).text(width: 79)
        == "0003_index_guests.sql 2/5 [####################] 100%")
    #expect(
      bar(0, of: 0).text(width: 79) == "0003_index_guests.sql 2/5 [....................] 0%")
  }

  @Test func `says after two seconds without progress that the script is still running`() {
    let early = bar(1, of: 2, timeAtByte: .milliseconds(1999)).text(width: 79)
    let late = bar(1, of: 2, timeAtByte: .seconds(12)).text(width: 79)

    #expect(early.hasSuffix(" 50%"))
    #expect(late.hasSuffix(" 50%, still running (12 s)"))
  }

  @Test func `counts the time since the last progress of a script`() {
    let begun = ContinuousClock.now
    var script = ProgressBar.Script(name: "2.sql", index: 1, count: 1, begun: begun)

    script.note(bytes: 0, of: 90, at: begun + .seconds(3))
    let atFirst = script.timeAtByte(at: begun + .seconds(3))
    script.note(bytes: 30, of: 90, at: begun + .seconds(4))
    script.note(bytes: 30, of: 90, at: begun + .seconds(6))
    let later = script.timeAtByte(at: begun + .seconds(7))

    #expect(atFirst == .seconds(3))
    #expect(later == .seconds(3))
  }

  @Test(arguments: 1...90)
  func `is never wider than the terminal`(width: Int) {
    let long = ProgressBar.Script(
      name: "2_" + String(repeating: "x", count: 60) + ".sql", index: 1, count: 1)
    let bars: [ProgressBar] = [
      bar(1, of: 3), bar(1, of: 3, timeAtByte: .seconds(100)),
      .waiting(for: "data/a/rather/long/path/to/the/guestbook.db", .seconds(3)),
      .running(long, timeAtByte: .zero),
    ]

    for bar in bars {
      let columns = bar.text(width: width).count
      #expect(columns <= width)
      #expect(columns > 0)
    }
  }

  @Test func `cuts a long name, so that there is room for the bar`() {
    let name = "2_" + String(repeating: "x", count: 70) + ".sql"
    let script = ProgressBar.Script(name: name, index: 1, count: 1)

    let text = ProgressBar.running(script, timeAtByte: .zero).text(width: 79)

    #expect(text == name.prefix(39) + "… 1/1 [....................] 0%")
  }

  @Test func `says what it waits for, and for how long`() {
    #expect(
      ProgressBar.waiting(for: "data/x.db", .milliseconds(3900)).text(width: 79)
        == "waiting for data/x.db (3 s)")
  }

  @Test func `stays one line, though the name of a script has two`() {
    let script = ProgressBar.Script(name: "2_a\nb\tc\u{1b}[2J.sql", index: 1, count: 1)

    let text = ProgressBar.running(script, timeAtByte: .zero).text(width: 79)

    #expect(text.hasPrefix("2_a\u{fffd}b c\u{fffd}[2J.sql 1/1 ["))
  }
}
