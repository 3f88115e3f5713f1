import Foundation
import TestSupport
import Testing

/// The room that `uplift rehearse` tells is what `up` needs: it succeeds with a tenth more, and
/// finds the disk full with a tenth less.
struct RehearsalRoomTests {
  private static let rows = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO guests(name, town) SELECT hex(randomblob(30)), hex(randomblob(10)) FROM n;
    """

  private static let large = [
    "2_column.sql": "ALTER TABLE guests ADD COLUMN visits INTEGER DEFAULT 0;",
    "3_update.sql": "UPDATE guests SET name = lower(name) || 'more and more of it';",
    "4_index.sql": "CREATE INDEX by_name ON guests(name);",
    "5_delete.sql": "DELETE FROM guests WHERE id % 3 = 0;",
  ]

  /// Scripts that share a commit, and change pages of their own.
  private static let small = Dictionary(
    uniqueKeysWithValues: (2...9).map { number in
      (
        "\(number)_part.sql",
        "UPDATE guests SET town = 'x' WHERE id BETWEEN \(number * 1500) AND \(number * 1500 + 1400);"
      )
    })

  /// Before the second script, the connection is closed, and SQLite writes the log into the database.
  private static let alone = [
    "2_rows.sql": rows,
    "3_alone.sql": "-- uplift: no-transaction\nPRAGMA incremental_vacuum;",
  ]

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let scripts: [String: String]
    let mode: String
    /// How long scripts may share a commit, in milliseconds.
    let interval: Int
    var testDescription: String { name }
  }

  private static let cases = ["delete", "wal"].flatMap { mode in
    [
      Case(name: "large, \(mode)", scripts: large, mode: mode, interval: 0),
      Case(name: "small, \(mode)", scripts: small, mode: mode, interval: 60_000),
      Case(name: "alone, \(mode)", scripts: alone, mode: mode, interval: 0),
    ]
  }

  @Test(.tags(.promise16), arguments: cases)
  func `is what up needs, within a tenth`(_ one: Case) throws {
    let scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    try scratch.removeAll("temporary")
    try scratch.write("", to: "disk/app.db")
    try RawDatabase(scratch("disk/app.db")).run(
      """
      PRAGMA journal_mode = \(one.mode);
      CREATE TABLE guests(id INTEGER PRIMARY KEY, name TEXT, town TEXT);
      \(Self.rows)
      PRAGMA user_version = 1;
      """)
    for (name, sql) in one.scripts { try scratch.write(sql, to: "scripts/" + name) }
    let bytes = scratch.bytes("disk/app.db") ?? Data()

    let needed = try needed(scratch, interval: one.interval)
    func boot(room: Int64) throws -> Boot {
      try bytes.write(to: URL(fileURLWithPath: scratch("disk/app.db")))
      var order = Order(database: scratch("disk/app.db"), migrations: scratch("scripts"))
      order["root"] = scratch("disk")
      order["temporary"] = scratch("temporary")
      order["rules"] = "room \(room)"
      order["interval"] = "\(one.interval)"
      return try Helper().boot(order)
    }
    let enough = try boot(room: needed + needed / 10)
    let tooLittle = try boot(room: needed - needed / 10)

    Figures.report("room of a rehearsal, \(one.name)", "\(needed) bytes")
    #expect(needed > 500_000)
    #expect(enough.end != nil, "\(enough)")
    #expect(tooLittle.failure?.name == "disk", "\(tooLittle)")
  }

  /// The room in the directory of the database, as the command tells it.
  private func needed(_ scratch: Scratch, interval: Int) throws -> Int64 {
    let outcome = try Command.product("uplift").run(
      "rehearse", "--json", "--database", scratch("disk/app.db"), "--migrations",
      scratch("scripts"), "--commit-interval", "\(interval / 1000)")
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let room = (object as? [String: Any])?["room"] as? [[String: Any]] ?? []
    return (room.first?["needed"] as? NSNumber)?.int64Value ?? -1
  }
}
