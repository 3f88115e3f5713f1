import TestSupport
import Testing

/// The library that intercepts calls does what other tests rely on.
struct InterceptTests {
  @Test func `sees the calls of the program and of SQLite`() throws {
    let site = try Site()

    let outcome = try site.boot()

    let calls = site.calls()
    #expect(outcome.status == 0)
    #expect(calls.contains { $0.caller == "program" && $0.name == "renameat2" && $0.result == 0 })
    #expect(calls.contains { $0.caller == "program" && $0.name == "opendir" })
    #expect(calls.contains { $0.caller == "sqlite" && $0.name == "write" && $0.length == 4096 })
    #expect(calls.contains { $0.caller == "sqlite" && $0.name == "unlink" })
    #expect(calls.filter { $0.name == "note" }.map(\.path) == ["committed 3"])
  }

  @Test func `fails a call of the program and of SQLite, once`() throws {
    let site = try Site()

    let program = try site.boot(rules: "fail 5 call fsync path .uplift")
    let sqlite = try site.boot(rules: "fail 5 call write path app.db-journal at 2")

    #expect([program, sqlite].map { $0.output.prefix { $0 != "\n" } } == ["disk", "disk"])
    #expect(site.calls().filter { $0.result == -5 }.map(\.caller) == ["program", "sqlite"])
  }

  @Test func `kills before or after a call`() throws {
    let before = try Site()
    let after = try Site()

    let one = try before.boot(rules: "kill call renameat2")
    let two = try after.boot(rules: "killed call renameat2")

    #expect([one.status, two.status] == [-9, -9])
    #expect(try before.snapshot().names.map { $0.hasSuffix(".uplift") } == [true])
    #expect(try after.snapshot().names == ["app.db"])
    #expect(before.calls().last?.result == -125, "a call that was not made")
    #expect(after.calls().last?.result == 0)
  }

  @Test func `makes a write shorter than it was meant`() throws {
    let site = try Site()

    let outcome = try site.boot(
      rules: "fail 38 call ioctl on;fail 38 call copy_file_range on;short 100 call write at 1")

    #expect(outcome.status == 0)
    #expect(site.calls().first { $0.name == "write" }?.result == 100)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test func `lets a process be terminated while a call is delayed`() throws {
    let site = try Site()
    let boot = try site.start(rules: "delay 10000 call renameat2")
    while site.scratch.names("data").isEmpty {}

    boot.terminate()

    #expect(try boot.wait().status == -15)
  }
}
