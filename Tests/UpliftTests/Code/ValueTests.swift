import TestSupport
import Testing
import Uplift

/// Values go in and come out as they are.
struct ValueTests {
  struct Day: Database.Storable, Equatable {
    let text: String
    init(_ text: String) { self.text = text }

    init?(databaseValue: Database.Value) {
      guard let text = String(databaseValue: databaseValue), text.utf8.count == 10 else {
        return nil
      }
      self.text = text
    }

    var databaseValue: Database.Value { .text(text) }
  }

  static let values: [Database.Value] = [
    .null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-1e308),
    .real(.infinity), .text(""), .text("l'été \"x\" \u{1F41E}"), .text("a\0b"), .blob([]),
    .blob([0, 255, 39]),
  ]

  @Test(arguments: values)
  func `come back as they were bound`(value: Database.Value) throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      try database.execute("INSERT INTO t VALUES (?)", [value])
      let rows = try database.query("SELECT a, typeof(a) FROM t")
      #expect(rows.map { $0.values[0] } == [value])
    }
  }

  @Test func `are read as Swift's own types`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query(
        "SELECT ? AS i, ? AS l, ? AS d, ? AS b, ? AS s, ? AS x, ? AS n, ? AS day",
        [7, Int64.max, 1.5, true, "text", [UInt8]([1, 2]), nil, Day("2017-07-01")])[0]

      #expect(row.columns == ["i", "l", "d", "b", "s", "x", "n", "day"])
      let (int, long): (Int, Int64) = try (row["i"], row["L"])
      let (double, bool): (Double, Bool) = try (row["d"], row["b"])
      let (string, bytes): (String, [UInt8]) = try (row["s"], row["x"])
      let (none, some): (Int?, Int?) = try (row["n"], row["i"])
      let day: Day = try row["day"]
      #expect((int, long, double, bool) == (7, .max, 1.5, true))
      #expect((string, bytes, none, some) == ("text", [1, 2], nil, 7))
      #expect(day == Day("2017-07-01"))
    }
  }

  @Test func `are never converted silently`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query("SELECT '7' AS text, 7 AS number, 7.5 AS real, NULL AS none")[0]
      #expect(throws: UpgradeError.self) { let _: Int = try row["text"] }
      #expect(throws: UpgradeError.self) { let _: String = try row["number"] }
      #expect(throws: UpgradeError.self) { let _: Int = try row["real"] }
      #expect(throws: UpgradeError.self) { let _: Bool = try row["number"] }
      #expect(throws: UpgradeError.self) { let _: [UInt8] = try row["text"] }
      #expect(throws: UpgradeError.self) { let _: Int = try row["none"] }
    }
  }

  @Test func `are told with the place where they are asked for`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let line = #line + 3
    let failure = try site.failure { database in
      let row = try database.query("SELECT NULL AS name")[0]
      let _: String = try row["name"]
    }

    let reason = UpgradeError.CallProblem.columnType("name", found: "NULL", wanted: "String")
    #expect(failure.reason == .call(reason))
    #expect((failure.source, failure.line) == (#fileID, line))
    #expect(failure.text == "SELECT NULL AS name")
  }

  @Test func `are not there under another name`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in
      let _: Int = try database.query("SELECT 1 AS a")[0]["b"]
    }

    #expect(failure.reason == .call(.noColumn("b")))
  }
}
