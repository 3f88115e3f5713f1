import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What `check` tells about scripts that were released, and what it records of them.
struct CheckLockTests {
  @Test func `does not repeat notes about a script that is released`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b, c); PRAGMA user_version = 1;",
      scripts: ["2.sql": "ALTER TABLE a ADD COLUMN d TEXT NOT NULL;"])

    let before = try site.upgrader().check().all
    let scripts = try Catalog(of: .directory(site.scripts)).all.map { try Script(reading: $0) }
    try site.scratch.write(
      Data(LockFile.text(of: scripts, content: nil, newest: 2)),
      to: "resources/scripts/uplift.lock")
    let after = try site.upgrader().check().all

    #expect(before.map(\.kind) == [.failsOnRows])
    #expect(after == [])
    #expect(site.scratch.bytes("resources/scripts/uplift.lock")?.count == 71)
  }

  @Test func `leaves a script that reads the seed out of the lock file`() throws {
    let site = try Site.releaseWithContent()
    try site.upgrader().release(released: site.scratch("elsewhere"))

    try site.bake { $0.hasNewContent = true }

    #expect(site.scriptNames.contains("0005_refresh_Word.sql"))
    let findings = try site.upgrader().check().all
    #expect(
      findings.map(\.words)
        == ["no starting point with rows is below 5, so it was not tried"])
    #expect(findings.map(\.place.file) == [site.scripts + "/0005_refresh_Word.sql"])
  }

  /// Each of two writers would take the other's new file for a leftover.
  @Test func `waits to record the scripts`() throws {
    let site = try Site.release()
    let other = try Command("/bin/sh").start([
      "-c",
      "exec 9<'\(site.scripts)'; flock 9; touch '\(site.scratch("locked"))'; sleep 1; "
        + "touch '\(site.scratch("done"))'",
    ])
    try waitUntil { site.scratch.bytes("locked") != nil }

    try site.upgrader().release(released: site.scratch("elsewhere"))

    #expect(site.scratch.bytes("done") != nil)
    _ = try other.wait()
  }

  /// Number 3 is free again after the script for new content has become 4.
  @Test func `finds a late script below new content, or below a step in Swift`() throws {
    let site = try Site.releaseWithContent()
    try site.bake { $0.hasNewContent = true }
    try site.upgrader().release(released: site.scratch("elsewhere"))
    try site.ship("0004_late.sql", "CREATE TABLE late(a);")
    let other = try Site.release()
    let upgrader = Upgrader(
      database: other.database, seed: .file(other.seed),
      migrations: .directory(other.scripts) + [.code(7, "nothing") { _ in }])
    try upgrader.release(released: other.scratch("elsewhere"))
    try other.ship("0005_late.sql", "CREATE TABLE late(a);")

    #expect(try site.upgrader().check().all.map(\.kind) == [.scriptInserted])
    #expect(try upgrader.check().all.map(\.kind).contains(.scriptInserted))
    #expect(try other.upgrader().check().all.map(\.kind).contains(.scriptInserted))
  }

  /// A database that stops at the script in between would have skipped the first content for ever.
  @Test(.tags(.promise13, .E3))
  func `refuses a script with commits of its own between two contents`()
    throws
  {
    let site = try Site.releaseWithContent()
    try site.upgrader().release(released: site.scratch("elsewhere"))
    try site.ship("0005_pack.sql", "-- uplift: no-transaction\nVACUUM;")
    try site.bake { $0.hasNewContent = true }

    let findings = try site.upgrader().check().findings

    #expect(findings.map(\.kind) == [.seedNumber])
    #expect(findings.first?.place.file.hasSuffix("0005_pack.sql") == true)
    #expect(
      findings.first?.words
        == "the script has commits of its own, between the content of 4 and the new one")
  }

  @Test(.tags(.T1, .T2)) func `forgives old scripts below the floor, and passes old seeds over`()
    throws
  {
    let site = try Site.release()
    try site.ship("0004_last.sql", "CREATE TABLE last(a);")
    try site.bake()
    try site.upgrader().release(released: site.scratch("elsewhere"))
    for name in ["0002_add_kind.sql", "0003_index_notes.sql"] {
      try site.scratch.remove("resources/scripts/" + name)
    }
    try site.scratch.write("", to: "fixtures/app-2.db")
    try Shell.run(site.scratch("fixtures/app-2.db"), Site.dictionary + "PRAGMA user_version = 2;")

    let gone = try site.upgrader().check().findings
    try site.ship("0004_last.sql", "-- uplift: from 3\nCREATE TABLE last(a);")
    let check = try site.upgrader().check(fixtures: [site.scratch("fixtures")])

    #expect(gone.map(\.kind) == [.scriptGone, .scriptGone])
    #expect(gone.last?.remedy.contains("write -- uplift: from 3 into the lowest script") == true)
    #expect(check.findings == [])
    #expect(check.notTried.map(\.place.file) == [site.scratch("fixtures/app-2.db")])
    #expect(
      check.notTried.first?.words
        == "it is older than 3, from which scripts ship, so no upgrade was tried from it")
    // What is released next, is all that counts from then on.
    try site.upgrader().release(released: site.scratch("elsewhere"))
    #expect(try site.upgrader().check().findings == [])
  }

  @Test func `knows the number of released content that is not shipped any more`() throws {
    let site = try Site.releaseWithContent()
    try site.upgrader().release(released: site.scratch("elsewhere"))
    try site.scratch.remove("resources/scripts/0004_refresh_Word.sql")
    let lock = site.scratch.bytes("resources/scripts/uplift.lock") ?? Data()

    let findings = try site.upgrader().check().all

    #expect(findings.map(\.kind) == [.scriptGone])
    #expect(findings.first?.remedy.hasSuffix("let uplift.lock end with: newest 4") == true)
    try site.scratch.write(
      String(decoding: lock, as: UTF8.self).replacing("content 4", with: "newest 4"),
      to: "resources/scripts/uplift.lock")
    #expect(try site.upgrader().check().findings == [])
    try site.ship("0004_late.sql", "CREATE TABLE late(a);")
    #expect(try site.upgrader().check().all.map(\.kind).contains(.scriptInserted))
  }

  @Test func `knows the number of the newest script, although it is not shipped any more`() throws {
    let site = try Site.release()
    try site.ship("0004_last.sql", "CREATE TABLE last(a);")
    try site.upgrader().release(released: site.scratch("elsewhere"))
    try site.scratch.remove("resources/scripts/0004_last.sql")
    let lock = site.scratch.bytes("resources/scripts/uplift.lock") ?? Data()

    let findings = try site.upgrader().check().all

    #expect(findings.map(\.kind) == [.scriptGone])
    #expect(findings.first?.remedy.hasSuffix("let uplift.lock end with: newest 4") == true)
    let lines = String(decoding: lock, as: UTF8.self).split(separator: "\n")
    try site.scratch.write(
      (lines.dropLast() + ["newest 4\n"]).joined(separator: "\n"),
      to: "resources/scripts/uplift.lock")
    #expect(try site.upgrader().check().findings == [])
    try site.ship("0004_late.sql", "CREATE TABLE late(a);")
    #expect(try site.upgrader().check().all.map(\.kind).contains(.scriptInserted))
  }

  /// New content on the old rows would take rows from users.
  @Test func `says that a newer seed was released`() throws {
    let site = try Site.releaseWithContent()
    let old = try #require(site.scratch.bytes("resources/app.db"))
    try Shell.run(site.seed, "INSERT INTO Word(id, text) VALUES (77, 'x');")
    try site.bake { $0.hasNewContent = true }
    try site.upgrader().release(released: site.scratch("elsewhere"))
    try site.scratch.write(old, to: "resources/app.db")

    let findings = try site.upgrader().check().all

    #expect(findings.map(\.kind) == [.seedNumber])
    #expect(
      findings.first?.remedy
        == "a seed with the content of 5 was released, and this one is older: take the released one, "
        + "repeat the changes of rows that it lacks, then run uplift bake --content")
  }

  @Test func `says that uplift.lock is not a file`() throws {
    let site = try Site.release()
    try site.scratch.removeAll("resources/scripts/uplift.lock")

    expectError(.scripts, "\"\(site.scripts)/uplift.lock\": Is a directory") {
      _ = try site.upgrader().check().all
    }
  }

  @Test func `finds the lock file of a directory with a slash at its end`() throws {
    let site = try Site.release()
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts + "/"))
    try upgrader.release(released: site.scratch("elsewhere"))
    try site.ship("0002_add_kind.sql", "ALTER TABLE Word ADD COLUMN other TEXT;")

    #expect(try upgrader.check().all.map(\.kind) == [.scriptEdited])
  }

  @Test func `records no script above the target`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1;",
      scripts: ["2.sql": "CREATE TABLE c(d);", "3.sql": "DROP TABLE nowhere;"])

    let release = try site.upgrader(target: 2).release(released: site.scratch("elsewhere"))
    #expect(release.version == 2)
    let lock = site.scratch.bytes("resources/scripts/uplift.lock") ?? Data()
    #expect(String(decoding: lock, as: UTF8.self).matches(of: /\d\.sql/).count == 1)
    #expect(try site.upgrader(target: 2).check().all == [])
  }

  @Test func `forgets no released script that is above the target`() throws {
    let site = try Site(
      seed: "CREATE TABLE a(b); PRAGMA user_version = 1;",
      scripts: ["2.sql": "CREATE TABLE c(d);", "3.sql": "CREATE TABLE e(f);"])
    try site.upgrader().release(released: site.scratch("elsewhere"))
    let before = site.scratch.bytes("resources/scripts/uplift.lock")

    try site.upgrader(target: 2).release(released: site.scratch("elsewhere"))

    #expect(site.scratch.bytes("resources/scripts/uplift.lock") == before)
  }
}
