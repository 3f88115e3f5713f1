import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// `release` checks, and records what is released.
struct ReleasingTests {
  /// A site whose seed has run its scripts.
  private func site() throws -> Site {
    let site = try Site.release()
    try site.bake()
    return site
  }

  @Test func `records the scripts, the seed and the schema`() throws {
    let site = try site()

    let release = try site.upgrader().release()

    #expect(release.version == 3)
    #expect(
      release.files == [
        site.scratch("Released/app-3.db"), site.scratch("Released/schema.sql"),
        site.scripts + "/uplift.lock",
      ])
    #expect(site.scratch.bytes("Released/app-3.db") == site.scratch.bytes("resources/app.db"))
    #expect(site.scratch.bytes("resources/scripts/uplift.lock")?.count == 169)
    #expect(
      site.scratch.bytes("Released/schema.sql").map { String(decoding: $0, as: UTF8.self) } == """
        PRAGMA user_version = 3;

        CREATE TABLE note(id INTEGER PRIMARY KEY, word INTEGER REFERENCES Word(id), text);

        CREATE INDEX note_word ON note(word);

        CREATE TABLE Word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT, kind TEXT);

        """)
  }

  @Test func `writes the number of a seed as the scripts do`() throws {
    let site = try Site(
      seed: Site.seed.replacing("user_version = 1", with: "user_version = 1040201"),
      scripts: ["1.4.2-1_x.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"])

    let release = try site.upgrader().release()

    #expect(release.files.first == site.scratch("Released/app-1.4.2-1.db"))
    #expect(try site.upgrader().release().files == [])
  }

  @Test func `changes nothing the second time`() throws {
    let site = try site()
    try site.upgrader().release()
    let before = try Snapshot(of: site.scratch.path)

    let again = try site.upgrader().release()

    #expect(again.version == 3 && again.files == [])
    #expect(try Snapshot(of: site.scratch.path) == before)
  }

  @Test func `writes what an interrupted release has left out`() throws {
    let site = try site()
    try site.upgrader().release()
    try site.scratch.remove("resources/scripts/uplift.lock")
    try site.scratch.write("torso", to: "Released/.app-3.db.ghjkmnpqrstvwxyz.uplift")

    #expect(try site.upgrader().release().files == [site.scripts + "/uplift.lock"])
  }

  @Test func `writes the schema of the target, although the seed is older`() throws {
    let site = try Site.release()

    try site.upgrader().release()

    let schema = site.scratch.bytes("Released/schema.sql") ?? Data()
    #expect(String(decoding: schema, as: UTF8.self).hasPrefix("PRAGMA user_version = 3;"))
    #expect(site.scratch.names("Released") == ["app-1.db", "schema.sql"])
  }

  @Test func `records nothing if the check finds an error`() throws {
    let site = try site()
    try site.ship("0004_bad.sql", "SELECT nosuch;")

    let release = try site.upgrader().release()

    #expect(release.version == nil && release.files == [])
    #expect(release.check.findings.map(\.kind) == [.scriptFails])
    #expect(site.scratch.names() == ["resources"])
  }

  /// Databases at 3 would never get the new rows.
  @Test func `never replaces a released seed`() throws {
    let site = try site()
    try site.upgrader().release()
    let released = site.scratch.bytes("Released/app-3.db")
    try Shell.run(site.seed, "PRAGMA page_size = 8192; VACUUM;")

    expectError(
      .seed,
      "\"\(site.scratch("Released/app-3.db"))\" was released, and is not the seed, which is at 3, too"
    ) { _ = try site.upgrader().release() }
    try Shell.run(site.seed, "UPDATE Word SET gloss = 'new';")
    let changed = try site.upgrader().release()

    #expect(changed.version == nil && changed.check.findings.map(\.kind) == [.contentChanged])
    #expect(site.scratch.bytes("Released/app-3.db") == released)
  }

  @Test func `finds the directory beside the scripts of a program without a seed`() throws {
    let site = try Site(seed: nil, scripts: ["1_one.sql": "CREATE TABLE a(b);"])
    let upgrader = Upgrader(database: site.database, migrations: .directory(site.scripts))

    #expect(
      try upgrader.release().files == [
        site.scratch("Released/schema.sql"), site.scripts + "/uplift.lock",
      ])
  }

  @Test(.tags(.R8)) func `tries the seeds of earlier releases`() throws {
    let site = try Site.release()
    try Shell.run(site.seed, "INSERT INTO note VALUES(1, 1, 'in the first release');")
    try site.upgrader().release()
    try site.bake()
    try Shell.run(site.seed, "DELETE FROM note;")
    try site.ship("0004_ants.sql", "DELETE FROM Word WHERE text = 'ant';")

    let findings = try site.upgrader().check().findings

    #expect(findings.map(\.kind) == [.scriptFails])
    #expect(findings.map(\.startingPoints) == [[site.scratch("Released/app-1.db")]])
    let elsewhere = try site.upgrader().check(released: site.scratch("nowhere"))
    #expect(elsewhere.findings.map(\.kind) == [.failsOnRows])
  }

  @Test func `two releases at once write the same`() async throws {
    let site = try site()

    try await withThrowingTaskGroup(of: Release.self) { group in
      for _ in 0..<2 { group.addTask { try site.upgrader().release() } }
      for try await release in group { #expect(release.version == 3) }
    }

    #expect(site.scratch.names("Released") == ["app-3.db", "schema.sql"])
    #expect(try site.upgrader().release().files == [])
  }
}
