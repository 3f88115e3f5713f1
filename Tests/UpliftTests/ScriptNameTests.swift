import TestSupport
import Testing
import Uplift

/// What the name of a file in the directory of scripts means.
struct ScriptNameTests {
  /// The numbers of the scripts that a directory of these files holds, in order.
  private func numbers(of files: [String]) throws -> [Int32] {
    let site = try Site(
      seed: nil, scripts: Dictionary(uniqueKeysWithValues: files.map { ($0, "SELECT 1;") }))
    return try site.upgrader(target: nil).status().pending.map(\.version.number)
  }

  @Test(
    .tags(.S13),
    arguments: [
      ("1.sql", 1), ("0002_add_visits.sql", 2), ("3-add.sql", 3), ("4 add visits.sql", 4),
      ("5_.sql", 5), ("6.SQL", 6), ("7_x.Sql", 7), ("2147483647.sql", 2_147_483_647),
      ("2017070101_date.sql", 2_017_070_101), ("000000000000000000000008.sql", 8),
      ("1.4.sql", 1_040_000), ("1.4.2_drop.sql", 1_040_200), ("1.4.2-1_fix.sql", 1_040_201),
      ("1.4.2-fix.sql", 1_040_200), ("1.4.2-1.sql", 1_040_201), ("0.0.1.sql", 100),
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
  func `is passed over where it is no script's`(file: String) throws {
    #expect(try numbers(of: [file, "7.sql"]) == [7])
  }

  @Test(
    .tags(.S13),
    arguments: [
      "add.sql", "_1.sql", "+1.sql", "-1.sql", "٣.sql", "１.sql", "1x.sql", "1.up.sql", "v1.sql",
      " 1.sql", "1..2.sql", "1.2.3.4.sql", "0x1.sql", "1e3.sql", "1,5.sql", "1.4.x.sql",
    ])
  func `is an error without a number`(file: String) throws {
    #expect(throws: UpgradeError.scriptName(file: file, .noNumber)) { try numbers(of: [file]) }
  }

  @Test(
    .tags(.S13),
    arguments: [
      ("0.sql", .zero), ("0000_begin.sql", .zero), ("0.0.sql", .zero),
      ("2147483648.sql", .tooLarge(suggestion: nil)),
      ("99999999999999999999999.sql", .tooLarge(suggestion: nil)),
      ("20240115103000.sql", .tooLarge(suggestion: "2024011501")),
      ("20240115103000123_x.sql", .tooLarge(suggestion: "2024011501")),
      ("1.100.sql", .partTooLarge), ("2147.0.sql", .partTooLarge),
    ] as [(String, UpgradeError.NameProblem)])
  func `is an error with a number that does not fit`(
    file: String, problem: UpgradeError.NameProblem
  ) throws {
    #expect(throws: UpgradeError.scriptName(file: file, problem)) { try numbers(of: [file]) }
  }

  @Test(.tags(.S13, .promise5)) func `is ordered by its number, never by its text`() throws {
    let files = ["10.sql", "2.sql", "9_x.sql", "00100.sql", "1.sql"]

    #expect(try numbers(of: files) == [1, 2, 9, 10, 100])
  }
}
