import TestSupport
import Testing

/// The calls of a boot with nothing to do.
///
/// The comment on `Boot` gives the reason for each.
struct CurrentBootCallTests {
  private func calls(journal: String) throws -> [Call] {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version = 3; PRAGMA journal_mode=\(journal);")
    #expect(try site.boot().output == "3 -> 3\n")
    return site.calls()
  }

  @Test(.tags(.promise9))
  func `adds one lstat to SQLite's own calls`() throws {
    let own = try calls(journal: "delete").filter { $0.caller == "program" }

    #expect(own.map { "\($0.name) \($0.path)" } == ["lstat data/app.db"])
  }

  @Test(.tags(.promise9, .F21))
  func `looks for the log of a database in WAL mode before SQLite would make one`() throws {
    let own = try calls(journal: "wal").filter { $0.caller == "program" }

    #expect(
      own.map { "\($0.name) \($0.path)" } == [
        "lstat data/app.db", "stat data/app.db-wal", "stat data/app.db-journal",
        "stat data/app.db-wal", "stat data/app.db",
      ])
  }

  @Test(.tags(.promise9)) func `opens the database once, and reads it in one transaction`() throws {
    let calls = try calls(journal: "delete").filter { $0.caller == "sqlite" }

    func count(_ name: String, _ path: String) -> Int {
      calls.count { $0.name == name && $0.path == path }
    }
    #expect(count("open", "data/app.db") == 1)
    #expect(count("close", "data/app.db") == 1)
    // SQLite reads the header as it opens the file; under the lock the first page and its counter.
    // Uplift asks for the byte with the journal mode.
    #expect(count("read", "data/app.db") <= 4)
    #expect(count("access", "data/app.db-journal") + count("stat", "data/app.db-journal") == 1)
    // It takes a pending lock and a shared one, releases the pending one, and then all.
    #expect(count("fcntl", "data/app.db") <= 5)
  }
}
