import TestSupport
import Testing

/// Only SQLite may open the live file: closing any descriptor of it drops every lock that SQLite
/// holds on it in this process.
struct LiveFileTests {
  @Test(.tags(.F10)) func `is opened by SQLite alone, whatever there is to do`() throws {
    let site = try Site()
    let empty = try Site()
    try empty.scratch.write("", to: "data/app.db")

    _ = try site.boot(target: 2)
    _ = try site.boot(target: 3)
    _ = try site.boot(target: 3)
    _ = try empty.boot()

    let live = (site.calls() + empty.calls()).filter { $0.path.hasSuffix("data/app.db") }
    #expect(live.count { $0.name == "open" } >= 4)
    #expect(live.filter { $0.name == "open" || $0.name == "close" }.allSatisfy(isSQLite))
    #expect(live.filter { !["stat", "lstat"].contains($0.name) }.allSatisfy(isSQLite))
  }

  @Test(.tags(.F10), arguments: ["", "fail 38 call renameat2 on"])
  func `has no descriptor of the copy that became it`(rules: String) throws {
    let site = try Site()

    _ = try site.boot(rules: rules)

    let calls = site.calls()
    let closed = calls.firstIndex { $0.name == "close" && $0.isOfCopy }
    let named = calls.firstIndex { $0.other == "data/app.db" && $0.result == 0 }
    #expect(try #require(closed) < #require(named))
  }

  private func isSQLite(_ call: Call) -> Bool { call.caller == "sqlite" }
}
