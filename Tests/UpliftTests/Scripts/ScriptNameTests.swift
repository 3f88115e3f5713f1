import TestSupport
import Testing
import Uplift

/// The name of a file says whether it is a script, and gives its number.
struct ScriptNameTests {
  /// The numbers of the scripts that a directory of these files holds, in order.
  private func numbers(of files: [String]) throws -> [Int32] {
    let site = try site(of: files)
    return try site.upgrader(target: nil).status().pending.map(\.version.number)
  }

  private func site(of files: [String]) throws -> Site {
    try Site(
      seed: nil, scripts: Dictionary(uniqueKeysWithValues: files.map { ($0, "SELECT 1;") }))
  }

  private func expect(_ file: String, _ words: String) throws {
    try expect(file, words, in: try site(of: [file]))
  }

  private func expect(_ file: String, _ words: String, in site: Site) throws {
    expectError(.scripts, "\"\(site.scripts)/\(file)\": \(words)") {
      _ = try site.upgrader(target: nil).status()
    }
  }

  @Test(
    .tags(.S13),
    arguments: [
      ("1.sql", 1), ("0002_add_visits.sql", 2), ("3-add.sql", 3), ("4 add visits.sql", 4),
      ("5_.sql", 5), ("6.SQL", 6), ("7_x.Sql", 7), ("2147483647.sql", 2_147_483_647),
      ("2017070101_date.sql", 2_017_070_101), ("000000000000000000000008.sql", 8),
      ("1.4.sql", 1_040_000), ("1.4.2_drop.sql", 1_040_200), ("1.4.2-1_fix.sql", 1_040_201),
      ("1.4.2-fix.sql", 1_040_200), ("1.4.2-1.sql", 1_040_201), ("0.0.1.sql", 100),
      ("2025-01_a.sql", 2025), ("3_2_a.sql", 3), ("0007_2024.sql", 7), ("3_2_1st.sql", 3),
      ("3_2__1.sql", 3),
      ("2025.01.15_a.sql", 2_025_011_500), ("1.4.2-1-2-3.sql", 1_040_201), ("7_ä.sql", 7),
      ("2146.99.99-99.sql", 2_146_999_999),
    ])
  func `gives a number`(file: String, number: Int32) throws {
    #expect(try numbers(of: [file]) == [number])
  }

  @Test(
    .tags(.S13),
    arguments: [
      ".1.sql", ".sql", "1.sql~", "1.sql.bak", "#1.sql#", "README.md", "1.txt", "1sql", "1.sqlite",
      ".1.sql.swp", "notes", "1\u{e}sql",
    ])
  func `is ignored if the file is no script`(file: String) throws {
    #expect(try numbers(of: [file, "7.sql"]) == [7])
  }

  @Test(
    .tags(.S13),
    arguments: [
      "add.sql", "_1.sql", "+1.sql", "-1.sql", "٣.sql", "１.sql", "v1.sql", " 1.sql",
    ])
  func `is an error without a number`(file: String) throws {
    try expect(file, "the name does not begin with a number")
  }

  @Test(
    .tags(.S13),
    arguments: [
      ("1x.sql", "1x"), ("01event.sql", "01event"), ("1. Add index.sql", "1."),
      ("1.up.sql", "1.up"), ("1.up.db.sql", "1.up.db"), ("1) a b.sql", "1)"),
      ("1.2.3.4.sql", "1.2.3.4"), ("1.2.3.4_x.sql", "1.2.3.4"),
      ("1.4.2-2.fix.sql", "1.4.2-2.fix"), ("1.4.2-2a_fix.sql", "1.4.2-2a"),
      ("1.4-2b.sql", "1.4-2b"), ("1.4.2-2.1_fix.sql", "1.4.2-2.1"),
      ("1.4.2-400x.sql", "1.4.2-400x"), ("1e3.sql", "1e3"), ("1.4.x.sql", "1.4.x"),
      ("1..sql", "1."), ("1..2.sql", "1..2"), ("0x1.sql", "0x1"), ("1,5.sql", "1,5"),
      ("1.2.3.400.sql", "1.2.3.400"),
    ])
  func `is an error with a bad number`(file: String, number: String) throws {
    try expect(file, "the name begins with \"\(number)\", which is not a number")
  }

  @Test(
    .tags(.S13),
    arguments: [
      "2018-01-14-171611_create.sql", "2014_10_12_000000_create_users_table.sql", "2025 1 5.sql",
      "2025-01-15.sql", "2025-13-01_a.sql", "1-2-3.sql",
    ])
  func `is an error with a date in parts, of which only the year would count`(file: String) throws {
    try expect(file, "the name begins with three numbers, as a date does")
  }

  static let zero = "the number is 0, the first script is 1"
  static let tooLarge = "the number is larger than 2147483647"
  static let partTooLarge = "a part of the number is too large"

  @Test(
    .tags(.S13),
    arguments: [
      ("0.sql", zero), ("0000_begin.sql", zero), ("0.0.sql", zero),
      ("2147483648.sql", tooLarge), ("99999999999999999999999.sql", tooLarge),
      // A number that would wrap round to 1.
      ("4294967297.sql", tooLarge), ("9999999999.sql", tooLarge),
      ("20240115103000.sql", tooLarge), ("1700000000000.sql", tooLarge),
      ("1.100.sql", partTooLarge), ("2147.0.sql", partTooLarge),
    ])
  func `is an error with a number that does not fit`(file: String, words: String) throws {
    try expect(file, words)
  }

  @Test(.tags(.S13), arguments: ["2018-01-14-171611_create", "00001_users", "1. Add index"])
  func `is an error for a directory that holds the script`(directory: String) throws {
    for (script, beside) in [("up.sql", "README.md"), ("migration.sql", "1.sql")] {
      let site = try site(of: [directory + "/" + script, beside])

      try expect(directory, "a directory with \"\(script)\" in it, not a script", in: site)
    }
  }

  @Test(.tags(.S13)) func `may lie beside a directory that holds no script`() throws {
    #expect(try numbers(of: ["1.sql", "2_old/2.sql", "archive/up.sql", "3.txt"]) == [1])
  }

  @Test(.tags(.S13, .promise5)) func `is ordered by its number, never by its text`() throws {
    let files = ["10.sql", "2.sql", "9_x.sql", "00100.sql", "1.sql"]

    #expect(try numbers(of: files) == [1, 2, 9, 10, 100])
  }
}
