import TestSupport
import Testing
import Uplift

/// An upgrade waits for a busy database, with one deadline for all its waits.
struct DeadlineTests {
  private func site(_ journal: String) throws -> Site {
    let site = try Site()
    try site.place(Site.seed + "PRAGMA journal_mode=\(journal);")
    return site
  }

  private func patience(_ duration: Duration) -> Upgrader.Options {
    var options = Upgrader.Options()
    options.patience = duration
    return options
  }

  @Test(.tags(.P2), arguments: ["delete", "wal"])
  func `waits for a writer that came first`(journal: String) throws {
    let site = try site(journal)
    let writer = try site.hold(
      "BEGIN IMMEDIATE; INSERT INTO item(name) VALUES('never');", seconds: 0.5)

    let upgrade = try site.upgrade()

    #expect(upgrade.end == 3)
    #expect(try writer.wait().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.P3)) func `waits for other boots whose scripts take longer than a busy timeout`()
    throws
  {
    let slow = """
      CREATE TABLE numbers AS
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      SELECT max(i) AS i FROM n;
      """
    let site = try Site(scripts: [
      "2.sql": slow + Site.script(2),
      "3.sql": slow.replacing(
        "numbers", with: "more") + Site.script(3),
    ])
    try site.place(Site.seed)

    let outcomes = try site.race(6, ["--interval", "0", "--patience", "60000"])

    #expect(outcomes.allSatisfy { $0.status == 0 })
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.P3), arguments: ["delete", "wal"])
  func `ends at the deadline with nothing changed`(journal: String) throws {
    let site = try site(journal)
    let writer = try site.hold("BEGIN IMMEDIATE;", seconds: 1.5)
    let begun = ContinuousClock.now

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrade(options: patience(.milliseconds(200)))
    }

    #expect(ContinuousClock.now - begun < .milliseconds(1200))
    #expect(error?.says(.busy, "\"\(site.database)\" stayed busy") == true)
    #expect(try writer.wait().status == 0)
    #expect(try site.names() == ["seeded"])
  }

  @Test(.tags(.P4)) func `tries the same commit again while a reader holds the database`() throws {
    let site = try site("delete")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", seconds: 0.5)
    var started: [String] = []

    let upgrade = try site.upgrader().upgrade { event in
      if case .started(let script) = event { started.append(script.name) }
    }

    #expect(upgrade.applied.map(\.name) == ["2_two.sql", "3_three.sql"])
    #expect(started == ["2_two.sql", "3_three.sql"])
    #expect(try reader.wait().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.P4))
  func `gives up a commit at the deadline, and names the version that it reached`() throws {
    let site = try site("delete")
    let reader = try site.hold("BEGIN; SELECT count(*) FROM item;", seconds: 1.5)

    #expect(throws: UpgradeError.busy(site.database, reached: 1)) {
      try site.upgrade(options: patience(.milliseconds(200)))
    }

    #expect(try reader.wait().status == 0)
    #expect(try Shell.version(site.database) == 1)
    #expect(try site.names() == ["seeded"])
  }

  @Test(.tags(.P3)) func `reports how long it has been waiting`() throws {
    let site = try site("delete")
    let writer = try site.hold("BEGIN IMMEDIATE;", seconds: 0.6)
    var waits: [Duration] = []

    _ = try site.upgrader().upgrade { event in
      if case .waiting(let wait) = event { waits.append(wait) }
    }

    #expect(try writer.wait().status == 0)
    #expect(!waits.isEmpty && waits.allSatisfy { $0 < .seconds(5) })
    #expect(waits == waits.sorted())
  }

  @Test(.tags(.P3, .promise6))
  func `names the version that it reached if a later script cannot begin`()
    throws
  {
    let site = try site("wal")
    var options = patience(.milliseconds(400))
    options.commitInterval = .zero
    var writer: Running?

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader(options: options).upgrade { event in
        if event == .committed(2) { writer = try? site.hold("BEGIN IMMEDIATE;", seconds: 1) }
      }
    }

    #expect(error == .busy(site.database, reached: 2))
    #expect(try writer?.wait().status == 0)
  }

  @Test(.tags(.P3, .promise6))
  func `names the version that it reached if it is cancelled between two scripts`() throws {
    let site = try site("wal")
    var options = Upgrader.Options()
    options.commitInterval = .zero
    var writer: Running?

    let error = #expect(throws: UpgradeError.self) {
      try site.upgrader(options: options).upgrade(isCancelled: { writer != nil }) { event in
        if event == .committed(2) { writer = try? site.hold("BEGIN IMMEDIATE;", seconds: 1) }
      }
    }

    #expect(error == .cancelled(reached: 2))
    #expect(try writer?.wait().status == 0)
  }
}
