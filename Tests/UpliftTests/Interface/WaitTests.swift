import TestSupport
import Testing
import Uplift

/// `wait` returns when somebody else has brought the database to the target.
struct WaitTests {
  private func upgrader(_ site: Site) -> Upgrader {
    Upgrader(database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts))
  }

  @Test(.tags(.promise16)) func `returns true as soon as the database is at the target`()
    async throws
  {
    let site = try Site()
    let waiting = Task.detached { try upgrader(site).wait(.seconds(60)) }
    try await Task.sleep(for: .milliseconds(150))
    _ = try await upgrader(site).upgrade()

    #expect(try await waiting.value)
    #expect(try upgrader(site).wait(.zero))
  }

  @Test(.tags(.promise16)) func `returns false if the time is over, and makes nothing`() throws {
    let site = try Site()

    #expect(try !upgrader(site).wait(.milliseconds(250)))
    #expect(site.scratch.bytes("data/app.db") == nil)
    #expect(site.scratch.names("") == ["resources"])

    // A lock is one of the reasons.
    try upgrader(site).upgrade(isCancelled: { false })
    let holder = try site.hold("BEGIN EXCLUSIVE;", end: "COMMIT;")
    #expect(try !upgrader(site).wait(.milliseconds(250)))
    try site.letGo()
    _ = try holder.wait()
    #expect(try upgrader(site).wait(.seconds(60)))
  }

  @Test(.tags(.promise7)) func `throws at once what no waiting mends`() throws {
    let newer = try Site()
    try newer.place("CREATE TABLE t(a); PRAGMA user_version = 9;")
    let damaged = try Site()
    try damaged.scratch.write(String(repeating: "no database ", count: 400), to: "data/app.db")
    let wrong = try Site(scripts: ["nonumber.sql": "SELECT 1;"])

    for (site, kind) in [(newer, UpgradeError.Kind.newer), (damaged, .damaged), (wrong, .scripts)] {
      #expect { _ = try upgrader(site).wait(.seconds(600)) } throws: {
        ($0 as? UpgradeError)?.kind == kind
      }
    }
  }

  @Test func `hears that its task is cancelled`() async throws {
    let site = try Site()
    let task = Task { try upgrader(site).wait(.seconds(600)) }
    task.cancel()

    await #expect { _ = try await task.value } throws: { ($0 as? UpgradeError)?.kind == .cancelled }
  }

  @Test func `holds no probe up behind a lock`() throws {
    let site = try Site()
    try upgrader(site).upgrade(isCancelled: { false })
    let holder = try site.hold("BEGIN EXCLUSIVE;", end: "COMMIT;")
    let began = ContinuousClock.now

    expectError(.busy, "stayed busy") { _ = try upgrader(site).status() }
    // The default is a minute.
    #expect(ContinuousClock.now - began < .seconds(30))
    try site.letGo()
    _ = try holder.wait()
  }
}

/// The upgrade of a program that must not block its threads.
struct AsyncUpgradeTests {
  @Test(.tags(.promise1)) func `upgrades on a thread of its own, and throws a typed error`()
    async throws
  {
    let site = try Site()
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts))

    let upgrade = try await upgrader.upgrade()

    #expect(upgrade.end == 3)
    try Shell.run(site.database, "PRAGMA user_version = 9")
    do throws(UpgradeError) {
      _ = try await upgrader.upgrade()
      Issue.record("an error was expected")
    } catch {
      #expect(error.kind == .newer)
    }
  }

  @Test(.tags(.S15)) func `is cancelled with its task`() async throws {
    let trial = try Trial("CREATE TABLE t(a);", StopTests.endless)
    let upgrader = trial.upgrader()
    let task = Task { try await upgrader.upgrade() }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()

    await #expect { _ = try await task.value } throws: {
      ($0 as? UpgradeError)?.kind == .cancelled
    }
  }
}

/// Choices and words of the library that need no database of their own.
struct SmallerChoicesTests {
  @Test func `names the newest backup if the database is too new`() async throws {
    let site = try Site()
    let backup = Upgrader.Backup(directory: site.scratch("backups"))
    func upgrader(_ target: Version) -> Upgrader {
      Upgrader(
        database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
        target: target, options: Upgrader.Options(backup: backup))
    }
    _ = try await upgrader(2).upgrade()
    _ = try await upgrader(3).upgrade()

    let error = await #expect(throws: UpgradeError.self) { try await upgrader(2).upgrade() }

    #expect(error?.remedy.contains("-v2.db\": uplift restore --backup \(backup.directory)") == true)
    #expect(try upgrader(2).status().refusal == error)
  }

  @Test func `renews the statistics after steps, if it is asked to`() async throws {
    let site = try Site(
      seed: """
        CREATE TABLE item(id INTEGER PRIMARY KEY, name); CREATE INDEX by_name ON item(name);
        INSERT INTO item(name) VALUES ('a'), ('b'); ANALYZE;
        PRAGMA user_version = 1;
        """,
      scripts: [
        "2_rows.sql": """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO item(name) SELECT 'x' || i FROM n;
        SELECT * FROM item WHERE name = 'x';
        """
      ])
    for optimizes in [false, true] {
      try? site.scratch.remove("data/app.db")
      _ = try await Upgrader(
        database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
        options: Upgrader.Options(optimizes: optimizes)
      ).upgrade()
      let isOld = try Shell.run(site.database, "SELECT stat FROM sqlite_stat1") == "2 1"
      #expect(isOld != optimizes)
    }
  }

  @Test func `has a report as the command prints it`() throws {
    let trial = try Trial("CREATE TABLE t(a);", "\tSELECT nosuch;")

    let report = try #require(trial.failure()?.report)

    #expect(report.contains("no such column: nosuch"))
    let lines = report.split(separator: "\n").map(String.init)
    #expect(Array(lines.dropFirst().prefix(2)) == ["  \tSELECT nosuch;", "  \t       ^"])
    #expect(lines.count == 4 && lines.last == trial.failure()?.remedy)
  }
}
