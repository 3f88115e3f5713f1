import Foundation
import Glibc
import TestSupport
import Testing

/// A bake is stopped at each of its calls: the old seed or the new one is there, and no script that
/// the seed is above.
struct BakeCrashTests {
  @Test(.tags(.R12, .promise13)) func `survives SIGKILL at every call`() throws {
    #expect(try BakeSite().complaintsAboutKills() == [])
  }

  @Test(.tags(.R12)) func `throws or succeeds, whatever call fails`() throws {
    #expect(try BakeSite().complaintsAboutErrors() == [])
  }

  @Test(.tags(.R12)) func `loses nothing if the power is cut`() throws {
    #expect(try BakeSite().complaintsAboutPowerCuts() == [])
  }

  @Test(.tags(.R12)) func `makes a second file whole or not at all`() throws {
    #expect(try OutputSite().complaintsAboutKills() == [])
    #expect(try OutputSite().complaintsAboutErrors() == [])
    #expect(try OutputSite().complaintsAboutPowerCuts() == [])
  }

  /// The locks of the file that the new seed is made from.
  @Test(.tags(.R12)) func `says that the disk fails, and not that the seed is unsound`() throws {
    let site = try BakeSite()
    var order = site.order()
    order["root"] = site.scratch.path
    order["temporary"] = site.scratch("temporary")
    var failures: Set<String?> = []
    for call in 1...40 {
      try site.clear()
      order["rules"] = "fail \(EIO) call fcntl path working.db at \(call)"
      failures.insert(try site.helper.boot(order).failure?.name)
    }

    #expect(failures == [nil, "disk"])
  }
}

/// A seed at version 1, the script that reads it, and a pending script.
private class BakeSite: CrashSite {
  var name: String { "bake" }
  var end: Int { 3 }
  let scratch: Scratch
  let helper: Helper
  let start: Tree
  fileprivate let old: Data

  private static let refresh = "-- uplift: reads-seed\nDELETE FROM word;\n"

  init() throws {
    scratch = try Self.makeScratch()
    helper = try Helper()
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300)"
    try scratch.write("", to: "disk/app.db")
    try RawDatabase(scratch("disk/app.db")).run(
      """
      CREATE TABLE word(id INTEGER PRIMARY KEY, text);
      \(rows) INSERT INTO word SELECT i, 'word ' || i FROM n;
      PRAGMA user_version = 1;
      """)
    try scratch.write(Self.refresh, to: "disk/scripts/1_refresh.sql")
    try scratch.write("CREATE INDEX word_text ON word(text);", to: "disk/scripts/2_index.sql")
    start = try Tree(of: scratch("disk"))
    old = scratch.bytes("disk/app.db") ?? Data()
  }

  func order() -> Order {
    var order = Order(database: scratch("unused.db"), migrations: scratch("disk/scripts"))
    order["bake"] = "1"
    order["seed"] = scratch("disk/app.db")
    return order
  }

  /// The old seed or the new one, whole, and one script, with its number or with the next one.
  func complaintAboutRemains(reported: Int?) throws -> String? {
    guard let bytes = scratch.bytes("disk/app.db") else { return "there is no seed" }
    let found = try Contents(of: scratch("disk/app.db"))
    guard found.isSound else { return "the seed is not sound" }
    guard found.version == 3 || bytes == old else { return "the old seed has changed" }
    guard [1, 3].contains(found.version) else { return "the seed is at \(found.version)" }
    if let reported, reported != found.version { return "\(reported) was reported" }
    let scripts = [1, 3].compactMap { number in
      scratch.bytes("disk/scripts/\(number)_refresh.sql").map { (number: number, text: $0) }
    }
    guard scripts.count == 1, scripts[0].text == Data(Self.refresh.utf8),
      scripts[0].number >= found.version
    else { return "the scripts have \(scripts.map(\.number)), the seed \(found.version)" }
    return nil
  }

  /// Bakes again, and checks the number of the seed and that no other file is left.
  func complaintAboutNextRun() throws -> String? {
    let version = try Contents(of: scratch("disk/app.db")).version
    let next = version == 1 ? 3 : 4
    let bake = try run()
    guard bake.end == next else { return "the next bake failed: \(bake)" }
    let names = scratch.names("disk") + scratch.names("disk/scripts")
    guard names == ["app.db", "scripts", "2_index.sql", "\(next)_refresh.sql"] else {
      return "left behind: \(names)"
    }
    return nil
  }
}

/// The same seed, from which a second file is made: the seed and the scripts stay as they are.
private final class OutputSite: BakeSite {
  override var name: String { "bake of a second file" }
  override var end: Int { 2 }

  override func order() -> Order {
    var order = super.order()
    order["output"] = scratch("disk/new.db")
    return order
  }

  /// The new file is whole if it is there, and it is there if its version was reported.
  override func complaintAboutRemains(reported: Int?) throws -> String? {
    guard scratch.bytes("disk/app.db") == old else { return "the seed has changed" }
    guard scratch.names("disk/scripts") == ["1_refresh.sql", "2_index.sql"] else {
      return "the scripts have changed"
    }
    guard scratch.bytes("disk/new.db") != nil else {
      return reported == nil ? nil : "\(reported ?? 0) was reported, and there is no new file"
    }
    let found = try Contents(of: scratch("disk/new.db"))
    return found.isSound && found.version == 2 ? nil : "the new file is not whole"
  }

  override func complaintAboutNextRun() throws -> String? {
    let wasMade = scratch.bytes("disk/new.db") != nil
    let bake = try run()
    guard wasMade ? bake.failure != nil : bake.end == 2 else {
      return "the next bake is wrong: \(bake)"
    }
    let names = scratch.names("disk")
    return names == ["app.db", "new.db", "scripts"] ? nil : "left behind: \(names)"
  }
}
