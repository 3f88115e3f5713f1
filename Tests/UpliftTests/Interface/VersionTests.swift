import TestSupport
import Testing
import Uplift

/// A version is a number, written plain or as a release.
struct VersionTests {
  @Test(arguments: [("1", 1), ("0003", 3), ("2147483647", 2_147_483_647)])
  func `reads a plain number`(text: String, number: Int32) {
    #expect(Version(text)?.number == number)
  }

  @Test(arguments: [
    ("1.4", 1_040_000), ("1.4.2", 1_040_200), ("1.4.2-1", 1_040_201), ("1.1-1", 1_010_001),
    ("2146.99.99-99", 2_146_999_999),
  ])
  func `gives two digits to each part of a release`(text: String, number: Int32) {
    #expect(Version(text)?.number == number)
  }

  @Test(
    arguments: [
      ("3", "3"), ("0003", "3"), ("1.2.5", "1.2.5 (1020500)"), ("1.4", "1.4 (1040000)"),
      ("1.4.0", "1.4 (1040000)"), ("1.4-1", "1.4.0-1 (1040001)"), ("0.0.1", "0.0.1 (100)"),
      ("1.4.2-12", "1.4.2-12 (1040212)"), ("2146.99.99-99", "2146.99.99-99 (2146999999)"),
      ("1.0", "1.0 (1000000)"),
    ])
  func `is shown as a release and a number, if it was written with a dot`(
    text: String, words: String
  ) {
    #expect(Version(text)?.description == words)
  }

  @Test(.tags(.promise6)) func `is shown as a release everywhere if the scripts have dots`() throws
  {
    let site = try Site(
      seed: Site.seed + "PRAGMA user_version = 1010000;",
      scripts: ["1.2_two.sql": Site.script(2), "1.3_three.sql": "SELECT nosuch;"])
    _ = try site.upgrade(target: "1.2")
    let database = site.database

    let failed = #expect(throws: UpgradeError.self) { try site.upgrade(target: 1_030_000) }
    let newer = #expect(throws: UpgradeError.self) { try site.upgrade(target: "1.1.1") }
    let status = try site.upgrader(target: nil).status()
    try site.scratch.remove("data")
    let upgrade = try site.upgrade(target: "1.2")

    #expect(failed?.description.hasSuffix("; the database is at 1.2 (1020000)") == true)
    #expect(
      newer?.description
        == "the database is at 1.2 (1020000), newer than the target 1.1.1 (1010100)")
    #expect(status.version?.description == "1.2 (1020000)")
    #expect(status.target.description == "1.3 (1030000)")
    #expect(status.seed?.description == "1.1 (1010000)")
    #expect("\(upgrade.start)" == "seeded at 1.1 (1010000)")
    #expect(try Shell.version(database) == 1_020_000)
  }

  @Test(arguments: ["", "0", "+1", "٣", "1.", ".1", "1.2.3.4", "1.100", "2147.0", "2147483648"])
  func `refuses text that is no version`(text: String) {
    #expect(Version(text) == nil)
  }
}
