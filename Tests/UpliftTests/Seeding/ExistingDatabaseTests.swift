import TestSupport
import Testing
import Uplift

/// An existing database is never replaced, truncated or deleted.
struct ExistingDatabaseTests {
  @Test(.tags(.promise2)) func `is the same file after an upgrade`() throws {
    let site = try Site()
    try site.place(Site.seed + "INSERT INTO item(name) VALUES('mine');")
    let before = try FileIdentity(site.database)

    _ = try site.upgrade()

    #expect(try FileIdentity(site.database) == before)
    #expect(try site.names() == ["seeded", "mine", "script 2", "script 3"])
  }

  @Test(
    .tags(.promise2),
    arguments: [
      "fail 5 call write", "fail 28 call write on", "fail 5 call fdatasync on", "kill at 40",
    ])
  func `is kept when its disk fails`(rules: String) throws {
    let site = try Site()
    try site.place(Site.seed + "INSERT INTO item(name) VALUES('mine');")
    let before = try FileIdentity(site.database)

    let outcome = try site.boot(rules: rules)

    #expect(outcome.status != 0)
    #expect(try FileIdentity(site.database) == before)
    #expect(try site.names() == ["seeded", "mine"])
  }

  @Test(
    .tags(.promise2, .F7), arguments: ["renameat2", "link"], [1, 3])
  func `is kept when it appears while the seed is copied`(call: String, version: Int) throws {
    let site = try Site()
    let fallback = call == "link" ? "fail 38 call renameat2 on;" : ""
    let boot = try site.start(rules: "\(fallback)delay 1000 call \(call)")
    while site.scratch.names("data").isEmpty {}

    try site.place(
      "BEGIN;\(Site.seed)INSERT INTO item(name) VALUES('theirs');"
        + "PRAGMA user_version = \(version); COMMIT;")
    let outcome = try boot.wait()

    let scripts = version == 1 ? ["script 2", "script 3"] : []
    #expect(outcome.output.hasPrefix("\(version) -> 3\n"))
    #expect(try site.names() == ["seeded", "theirs"] + scripts)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.promise2)) func `is not seeded again when the scripts are gone`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try site.scratch.remove("resources/scripts")
    let before = try site.snapshot()

    #expect(throws: UpgradeError.missingScripts(site.scripts)) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }
}
