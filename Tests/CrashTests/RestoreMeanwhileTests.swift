import Foundation
import TestSupport
import Testing

/// Another program changes a file while a restore is about to make one of its calls.
@Suite(.tags(.promise15)) struct RestoreMeanwhileTests {
  private struct Work: Sendable {
    let call: Int
    let body: @Sendable () throws -> Void
  }

  /// Restores, and does other work right before each call with one of the numbers.
  private func restore(_ site: RestoreSite, _ works: [Work])
    throws
    -> Boot
  {
    let log = site.scratch("log")
    try? FileManager.default.removeItem(atPath: log)
    let (scratch, disk) = (site.scratch, site.disk)
    let thread = Thread {
      for work in works {
        try? waitUntil {
          let calls = try? Operation.all(in: scratch.bytes("log") ?? Data(), below: disk)
          return (calls?.count { $0.name != "note" } ?? 0) >= work.call - 1
        }
        usleep(50_000)
        #expect(throws: Never.self) { try work.body() }
      }
    }
    thread.start()
    return try site.run(
      rules: works.map { "delay 400 at \($0.call)" }.joined(separator: ";"), isLogged: true)
  }

  /// SQLite reads the last page in the step that commits.
  @Test(.tags(.O8), arguments: ["delete", "wal"])
  func `keeps the old content if the backup is emptied while it is read`(mode: String) throws {
    let site = try RestoreSite(mode: mode)
    let calls = try site.calls()
    let before = try site.scratch.write(
      try #require(site.start.number(of: "app.db").flatMap { site.start.files[$0] }),
      to: "before.db")
    let reads = calls.indices.filter {
      calls[$0].name == "read" && calls[$0].path == "old/app-1.db"
    }

    var words: [String] = []
    let scratch = site.scratch
    for read in reads.filter({ $0 % 3 == 0 || $0 == reads.last }) {
      try site.clear()
      let run = try restore(
        site, [Work(call: read + 1) { try scratch.write("", to: "disk/old/app-1.db") }])

      let failure = try #require(run.failure)
      words.append(failure.words)
      let copies = site.scratch.names("disk/old").filter { $0 != "app-1.db" }
      if failure.name == "backup" {
        #expect(copies == [])
        #expect(try Contents(of: site.disk + "/app.db") == Contents(of: before))
      } else {
        #expect(failure.words.contains("what it held is in"))
        #expect(copies == ["app-3-replaced.db"])
        #expect(try Contents(of: site.disk + "/old/app-3-replaced.db") == Contents(of: before))
      }
    }
    #expect(words.last?.contains("the backup was changed while it was read") == true)
  }

  /// The copy is made through a second connection, which opens the database by its name.
  @Test(.tags(.O9)) func `copies no other file that has the name for a moment`() throws {
    let site = try RestoreSite(mode: "wal")
    let calls = try site.calls()
    let open = try #require(calls.lastIndex { $0.name == "open" && $0.path == "app.db" }) + 1
    let sync =
      try #require(
        calls.firstIndex { $0.name.hasSuffix("sync") && $0.path.hasSuffix(".uplift-part") }) + 1
    try site.clear()
    let (database, aside) = (site.disk + "/app.db", site.disk + "/aside")
    let backup = site.disk + "/old/app-1.db"

    let away = Work(call: open) {
      try #require(rename(database, aside) == 0)
      try FileManager.default.copyItem(atPath: backup, toPath: database)
    }
    let back = Work(call: sync) { try #require(rename(aside, database) == 0) }
    let run = try restore(site, [away, back])

    #expect(run.failure?.name == "moved")
    #expect(try Contents(of: database).version == 3)
  }

  /// A boot has waited for the lock.
  @Test(.tags(.O9)) func `succeeds if the backup is replaced after the commit`() throws {
    let site = try RestoreSite(mode: "delete")
    let calls = try site.calls()
    let read =
      try #require(
        calls.lastIndex { $0.name == "read" && $0.path == "old/app-1.db" }) + 1
    try site.clear()
    let backup = site.disk + "/old/app-1.db"
    let new = try site.scratch.write("new", to: "new")

    let run = try restore(site, [Work(call: read) { try #require(rename(new, backup) == 0) }])

    #expect(run.end == 1)
    #expect(site.scratch.bytes("disk/old/app-1.db") == Data("new".utf8))
  }

  @Test(.tags(.promise14, .O4)) func `leaves the backup alone that is made after the commit`()
    throws
  {
    let site = try RestoreSite(mode: "delete")
    let (backup, earlier) = (site.disk + "/old/app-1.db", site.disk + "/old/app-1-earlier.db")
    try site.clear()
    try #require(link(backup, earlier) == 0)
    let start = try Tree(of: site.disk)
    try #require(try site.run(isLogged: true).end == 1)
    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
      .filter { $0.name != "note" }
    let removing = try #require(
      calls.lastIndex { $0.name == "unlink" && $0.path == "old/app-1-earlier.db" })
    let look =
      try #require(
        calls[..<removing].lastIndex { $0.path == "old/app-1-earlier.db" }) + 1
    try site.clear(start)
    let old = site.scratch.bytes("disk/old/app-1.db")
    let new = try site.scratch.write("new", to: "new")

    let run = try restore(site, [Work(call: look) { try #require(rename(new, backup) == 0) }])

    #expect(run.end == 1)
    #expect(site.scratch.bytes("disk/old/app-1.db") == Data("new".utf8))
    #expect(site.scratch.bytes("disk/old/app-1-replaced.db") == old)
  }

  @Test(.tags(.O9)) func `succeeds if a boot upgrades the new database at once`() throws {
    let site = try RestoreSite(mode: "delete")
    try site.clear()
    try site.scratch.remove("disk/app.db")
    let missing = try Tree(of: site.disk)
    try #require(try site.run(isLogged: true).end == 1)
    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
      .filter { $0.name != "note" }
    let publishing = try #require(calls.lastIndex { $0.other == "app.db" }) + 1
    try site.clear(missing)
    let database = site.disk + "/app.db"

    let boot = Work(call: publishing + 1) {
      try RawDatabase(database).run("PRAGMA user_version = 2;")
    }
    let run = try restore(site, [boot])

    #expect(run.end == 1)
    #expect(try Contents(of: database).version == 2)
  }

  @Test(.tags(.O8)) func `says so if an empty database is filled from a backup that changes`()
    throws
  {
    let site = try RestoreSite(mode: "delete")
    try site.clear()
    try site.scratch.write("", to: "disk/app.db")
    let empty = try Tree(of: site.disk)
    try #require(try site.run(isLogged: true).end == 1)
    let calls = try Operation.all(in: site.scratch.bytes("log") ?? Data(), below: site.disk)
      .filter { $0.name != "note" }
    let read =
      try #require(
        calls.lastIndex { $0.name == "read" && $0.path == "old/app-1.db" }) + 1
    try site.clear(empty)
    let scratch = site.scratch

    let emptying = Work(call: read) { try scratch.write("", to: "disk/old/app-1.db") }
    let run = try restore(site, [emptying])

    #expect(run.failure?.words.contains("the database may be damaged") == true)
  }

  /// The directory of backups becomes another one, which has the copy of an earlier restore.
  @Test(.tags(.O9)) func `removes no copy but its own`() throws {
    let site = try RestoreSite(mode: "delete")
    let calls = try site.calls()
    let reads = calls.indices.filter {
      calls[$0].name == "read" && calls[$0].path == "old/app-1.db"
    }
    // After it, the restore looks at the backup once more.
    let read = try #require(reads.dropLast().last) + 1
    try site.clear()
    let (directory, other) = (site.disk + "/old", site.disk + "/other")
    try FileManager.default.copyItem(atPath: directory, toPath: other)
    let earlier = other + "/app-3-replaced.db"
    try FileManager.default.copyItem(atPath: site.disk + "/app.db", toPath: earlier)
    try RawDatabase(earlier).run("INSERT INTO item(name) VALUES ('earlier');")
    let aside = site.disk + "/aside"

    _ = try restore(
      site,
      [
        Work(call: read) {
          try #require(rename(directory, aside) == 0 && rename(other, directory) == 0)
        }
      ])

    let kept = try RawDatabase(directory + "/app-3-replaced.db")
    #expect(try kept.rows("SELECT name FROM item WHERE id = 301") == ["earlier"])
  }
}
