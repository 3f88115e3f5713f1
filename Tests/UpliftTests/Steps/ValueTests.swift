import TestSupport
import Testing
import Uplift

/// Values are bound and read without a change.
struct ValueTests {
  struct Day: Upgrader.Database.Storable, Equatable {
    let text: String
    init(_ text: String) { self.text = text }

    init?(upliftValue: Upgrader.Database.Value) {
      guard let text = String(upliftValue: upliftValue), text.utf8.count == 10 else {
        return nil
      }
      self.text = text
    }

    var upliftValue: Upgrader.Database.Value { .text(text) }
  }

  static let values: [Upgrader.Database.Value] = [
    .null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-1e308),
    .real(.infinity), .text(""), .text("l'été \"x\" \u{1F41E}"), .text("a\0b"), .blob([]),
    .blob([0, 255, 39]), .text("caf\u{e9}"), .text("cafe\u{301}"), .rawText([0x63, 0xe9, 0, 0x27]),
    .rawText([0xff]), .rawText([0xed, 0xa0, 0x80]),
  ]

  @Test(arguments: values)
  func `come back as they were bound`(value: Upgrader.Database.Value) throws {
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

  @Test func `are those of the first column, if several have the name`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query("SELECT 1 AS a, 2 AS A, 3 AS b")[0]
      let number: Int = try row["a"]
      #expect(number == 1)
    }
  }

  @Test func `are read as an enum if no type is asked for`() throws {
    let site = try Site.holding("CREATE TABLE t(a, b)")

    try site.step { database in
      let row = try database.query("SELECT 7 AS id, 'Ann' AS name")[0]
      let id = try row["id"]
      try database.execute("INSERT INTO t VALUES (?, ?)", [id, try row["name"]])
      try database.execute("INSERT INTO t VALUES (:a, :b)", ["a": try row["id"], "b": nil])
      #expect(id == .integer(7))
      let line = #line + 1
      #expect { _ = try row["age"] } throws: { error in
        guard let error = error as? UpgradeError else { return false }
        return error.says(.failed, "the row has no column \"age\"", line: line)
      }
    }

    #expect(try site.shell("SELECT * FROM t;") == "7|Ann\n7|")
  }

  @Test func `are read as a floating-point number if that is exact`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    try site.step { database in
      let row = try database.query(
        "SELECT 9007199254740992 AS a, 9007199254740993 AS b")[0]
      let double: Double = try row["a"]
      #expect(double == 9_007_199_254_740_992)
      #expect(throws: UpgradeError.self) { let _: Double = try row["b"] }
    }
  }

  @Test(.tags(.S21)) func `are equal if their bytes are equal`() {
    typealias Value = Upgrader.Database.Value

    #expect(Value.text("caf\u{e9}") != .text("cafe\u{301}"))
    #expect(Set([Value.text("caf\u{e9}"), .text("cafe\u{301}"), .text("caf\u{e9}")]).count == 2)
    #expect(Value.text("1") != .rawText([0x31]))
    #expect(Value.rawText([0xe9]) != .blob([0xe9]))
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

  @Test func `are refused with the line that asks for them`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let line = #line + 3
    let failure = try site.failure { database in
      let row = try database.query("SELECT NULL AS name")[0]
      let _: String = try row["name"]
    }

    #expect(failure.message == "column \"name\" holds NULL, String was wanted")
    #expect((failure.place?.source, failure.place?.line) == (#fileID, line))
    #expect(failure.text == "SELECT NULL AS name")
  }

  @Test func `are refused under a name that no column has`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")

    let failure = try site.failure { database in
      let _: Int = try database.query("SELECT 1 AS a")[0]["b"]
    }

    #expect(failure.message == "the row has no column \"b\"")
  }

  @Test func `have another hash in a list that only has the same bytes in a row`() {
    typealias Values = [Upgrader.Database.Value]
    let moved: (Values, Values) = ([.text("New"), .text("York")], [.text("NewY"), .text("ork")])
    let empty: (Values, Values) = ([.text(""), .null], [.null, .text("")])
    let null: (Values, Values) = ([.integer(1), .null], [.null, .integer(1)])

    for (left, right) in [moved, empty, null] { #expect(left.hashValue != right.hashValue) }
  }
}
