import Foundation
import TestSupport
import Testing

/// An upgrade that makes a backup is stopped at each of its calls: a backup that is there is whole,
/// and no script is committed without one.
@Suite(.tags(.promise14)) struct BackupCrashTests {
  static let modes = ["delete", "wal"]

  @Test(.tags(.O3), arguments: modes) func `survives SIGKILL at every call`(mode: String) throws {
    #expect(try BackupSite(mode: mode).complaintsAboutKills() == [])
  }

  @Test(.tags(.O3), arguments: modes) func `throws or succeeds, whatever call fails`(
    mode: String
  ) throws {
    #expect(try BackupSite(mode: mode).complaintsAboutErrors() == [])
  }

  @Test(.tags(.O3), arguments: modes) func `loses nothing if the power is cut`(mode: String) throws
  {
    #expect(try BackupSite(mode: mode).complaintsAboutPowerCuts() == [])
  }

  @Test(.tags(.O1), arguments: modes) func `runs nothing without room for the backup`(
    mode: String
  ) throws {
    #expect(try BackupSite(mode: mode).complaintsAboutFullDisks() == [])
  }

  /// The last script fails at each boot, and a boot may be killed at any moment.
  @Test(.tags(.O2, .O4)) func `never piles up, however often it starts`() throws {
    let site = try BackupSite(mode: "delete")
    try site.scratch.write("SELECT nope;", to: "scripts/4_fails.sql")
    try site.clear()
    var random = Random(seed: Figures.seed)
    let rounds = Figures.choose(100, deep: 1000)

    var complaints: [String] = []
    for round in 1...rounds {
      var order = site.order()
      order["target"] = "4"
      if round % 2 == 0 { order["kills"] = "0:\(Int.random(in: 0..<4000, using: &random))" }
      _ = try site.helper.race(order)
      let names = site.scratch.names("disk/old")
      if names.filter({ !$0.hasPrefix(".") }).count > 6 {
        complaints.append("round \(round): \(names)")
      }
      if let complaint = try site.complaintAboutBackups() {
        complaints.append("round \(round): \(complaint)")
      }
    }

    Figures.report("starts again and again, backup", "\(rounds), \(complaints.count) failures")
    #expect(complaints.prefix(3) == [])
    let ends = site.scratch.names("disk/old").map { $0.suffix(6) }
    #expect(Set(["-v1.db", "-v3.db"]).isSubset(of: ends))
  }

  /// The first script notes the rows that it finds: the backup has the same.
  @Test(.tags(.O10), arguments: modes) func `has every row that the first script finds`(
    mode: String
  ) throws {
    let site = try BackupSite(mode: mode)
    try site.scratch.write(
      "CREATE TABLE noted AS SELECT count(*) AS rows FROM item;", to: "scripts/2_two.sql")
    let rounds = Figures.choose(10, deep: 100)

    for _ in 1...rounds {
      try site.clear()
      let writer = try Command("/bin/sh").start([
        "-c",
        """
        row=0
        while test $row -lt 1000000 && ! test -e '\(site.scratch("let-go"))'; do
          row=$((row + 1))
          echo 'PRAGMA busy_timeout = 1000; INSERT INTO item(name) VALUES (1);'
        done | sqlite3 '\(site.disk)/app.db' >/dev/null 2>&1
        """,
      ])
      let result = Result { try site.run() }
      try site.scratch.write("", to: "let-go")
      _ = try writer.wait()
      try site.scratch.remove("let-go")

      let run = try result.get()
      #expect(run.end == 3, "\(run)")
      let noted = try RawDatabase(site.disk + "/app.db").rows("SELECT rows FROM noted")
      let copied = try RawDatabase(site.newest(version: 1)).rows("SELECT count(*) FROM item")
      #expect(noted == copied)
    }
  }
}

/// A database at version 1, two scripts with commits of their own, and backups.
private final class BackupSite: CrashSite {
  let name: String
  let end = 3
  let scratch: Scratch
  let helper: Helper
  let start: Tree
  private var expected: [Int: Contents] = [:]

  init(mode: String) throws {
    name = "backup, \(mode)"
    scratch = try Self.makeScratch()
    helper = try Helper()
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
    try scratch.write("", to: "disk/app.db")
    try RawDatabase(scratch("disk/app.db")).run(
      """
      PRAGMA journal_mode = \(mode);
      CREATE TABLE item(id INTEGER PRIMARY KEY, name);
      \(rows) INSERT INTO item(name) SELECT 'item ' || i FROM n;
      PRAGMA user_version = 1;
      """)
    try scratch.write("UPDATE item SET name = upper(name);", to: "scripts/2_two.sql")
    try scratch.write("CREATE INDEX item_name ON item(name);", to: "scripts/3_three.sql")
    start = try Tree(of: scratch("disk"))
    for version in 1...3 {
      try clear()
      var order = order()
      order["target"] = "\(version)"
      _ = try helper.boot(order)
      expected[version] = try Contents(of: disk + "/app.db")
    }
  }

  func order() -> Order {
    var order = Order(database: disk + "/app.db", migrations: scratch("scripts"))
    order["backup"] = disk + "/old"
    order["interval"] = "0"
    // SQLite's locks have no queue: on a busy machine, a writer that never rests keeps them for long.
    order["patience"] = "60000"
    return order
  }

  func complaintAboutRemains(reported: Int?) throws -> String? {
    let found = try Contents(of: disk + "/app.db")
    guard found == expected[found.version] else { return "other contents at \(found.version)" }
    if let reported, reported > found.version { return "\(reported) was reported" }
    let hasBackup = scratch.names("disk/old").contains { $0.hasSuffix("-v1.db") }
    if found.version > 1, !hasBackup {
      return "at \(found.version) without a backup"
    }
    return try complaintAboutBackups()
  }

  /// The newest backup of a version.
  func newest(version: Int) -> String {
    let names = scratch.names("disk/old").filter { $0.hasSuffix("-v\(version).db") }
    return scratch("disk/old/" + (names.last ?? ""))
  }

  /// Each backup is whole, and has the version that its name says.
  func complaintAboutBackups() throws -> String? {
    for name in scratch.names("disk/old") where !name.hasPrefix(".") {
      guard name.hasPrefix("app-"), name.hasSuffix(".db"),
        let version = name.split(separator: "-v").last.flatMap({ Int($0.dropLast(3)) })
      else { return "left behind: \(name)" }
      // A copy, because SQLite may write beside the database that it reads.
      let copy = try scratch.write(scratch.bytes("disk/old/\(name)") ?? Data(), to: "copy.db")
      guard try Contents(of: copy) == expected[version] else { return "not whole: \(name)" }
    }
    return nil
  }

  func complaintAboutNextRun() throws -> String? {
    let run = try run()
    guard run.end == 3, run.status == 0 else { return "the next boot failed: \(run)" }
    guard try Contents(of: disk + "/app.db") == expected[3] else { return "other contents" }
    let names = scratch.names("disk/old")
    // Of one version the first and the newest stay, and nothing of a killed boot, unless it was the
    // last one: a boot with nothing to do does not look.
    guard names.contains(where: { $0.hasSuffix("-v1.db") }), names.count <= 4 else {
      return "left behind: \(names)"
    }
    return try complaintAboutBackups()
  }
}
