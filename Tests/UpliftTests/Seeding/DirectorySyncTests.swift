import TestSupport
import Testing

/// A name is durable only when its directory is synced.
struct DirectorySyncTests {
  @Test(.tags(.F9, .promise3)) func `comes after the copy has its name, and before any script`()
    throws
  {
    let site = try Site()

    _ = try site.boot()

    let calls = site.calls()
    let synced = try #require(calls.firstIndex { $0.name == "fsync" && $0.path == "data" })
    let named = try #require(calls.firstIndex { $0.name == "renameat2" })
    let opened = try #require(calls.firstIndex { $0.name == "open" && $0.path == "data/app.db" })
    #expect(named < synced && synced < opened)
  }

  @Test(.tags(.F9, .F2, .promise3)) func `comes after the copy itself was synced`() throws {
    let site = try Site()

    _ = try site.boot()

    let calls = site.calls()
    let synced = calls.firstIndex { $0.name == "fsync" && $0.isOfCopy }
    let named = calls.firstIndex { $0.name == "renameat2" }
    let lastWrite = calls.lastIndex {
      ["write", "copy_file_range"].contains($0.name) && $0.isOfCopy
    }
    #expect(try #require(lastWrite) < #require(synced))
    #expect(try #require(synced) < #require(named))
  }

  @Test(.tags(.F9)) func `reaches the parents of directories that were made`() throws {
    let site = try Site()
    let database = site.scratch("one/two/three/app.db")

    _ = try Command.product("BootHelper").run(
      database, "--seed", site.seed, "--migrations", site.scripts, "--target", "3",
      environment: [
        "UPLIFT_INTERCEPT_ROOT": site.scratch.path, "UPLIFT_INTERCEPT_LOG": site.scratch("calls"),
      ])

    let synced = site.calls().filter { $0.name == "fsync" && $0.caller == "program" }.map(\.path)
    #expect(synced.first?.hasSuffix(".uplift") == true)
    #expect(synced.dropFirst() == ["one/two", "one", "", "one/two/three"])
  }

  @Test(.tags(.F9, .F1)) func `reaches the parents of a file that is filled`() throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")

    _ = try site.boot(target: 1)

    let calls = site.calls()
    let synced = try #require(calls.firstIndex { $0.name == "fsync" && $0.path == "" })
    let written = try #require(calls.firstIndex { $0.name == "write" && $0.path == "data/app.db" })
    #expect(synced < written)
  }

  @Test(.tags(.F9)) func `is made by a boot that lost the race, too`() throws {
    let site = try Site()
    let winner = try site.start(target: 1, rules: "delay 500 call renameat2")
    try waitUntil { site.calls().contains { $0.name == "flock" } }

    let loser = try site.boot(target: 1)

    #expect(loser.output.hasPrefix("1 -> 1\n"))
    #expect(try winner.wait().output.hasPrefix("seeded at 1 -> 1\n"))
    #expect(site.calls().count { $0.name == "fsync" && $0.path == "data" } == 2)
  }
}
