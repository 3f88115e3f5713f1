import TestSupport
import Testing

/// The commonest boot, call by call; why each is there is written at `Boot.run`.
struct OneLookTests {
  private func calls(journal: String) throws -> [Call] {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA user_version = 3; PRAGMA journal_mode=\(journal);")
    #expect(try site.boot().output == "3 -> 3\n")
    return site.calls()
  }

  @Test(.tags(.promise9))
  func `is all that a current boot adds to SQLite's own calls`() throws {
    let own = try calls(journal: "delete").filter { $0.caller == "program" }

    #expect(own.map { "\($0.name) \($0.path)" } == ["lstat data/app.db"])
  }

  @Test(.tags(.promise9, .F21))
  func `is followed by four where a log would have to be made`() throws {
    let own = try calls(journal: "wal").filter { $0.caller == "program" }

    #expect(
      own.map { "\($0.name) \($0.path)" } == [
        "lstat data/app.db", "stat data/app.db-wal", "stat data/app.db-wal",
        "stat data/app.db-journal", "stat data/app.db-wal", "stat data/app.db",
      ])
  }

  @Test(.tags(.promise9)) func `is followed by one transaction that reads once`() throws {
    let calls = try calls(journal: "delete").filter { $0.caller == "sqlite" }

    func count(_ name: String, _ path: String) -> Int {
      calls.count { $0.name == name && $0.path == path }
    }
    #expect(count("open", "data/app.db") == 1)
    #expect(count("close", "data/app.db") == 1)
    // The header as it is opened, the first page and its change counter under the lock.
    #expect(count("read", "data/app.db") <= 3)
    #expect(count("access", "data/app.db-journal") + count("stat", "data/app.db-journal") == 1)
    // A pending lock, a shared one, the pending one given back; all given back.
    #expect(count("fcntl", "data/app.db") <= 5)
  }
}
