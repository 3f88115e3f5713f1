import TestSupport
import Testing
import Uplift

/// Scripts from a directory and steps from the program make one set.
struct MigrationsTests {
  @Test(.tags(.S13))
  func `are refused if a script and a step have the same number, and the error names both`() throws
  {
    let site = try Site()
    let line = #line + 1
    let steps: Upgrader.Migrations = .directory(site.scripts) + [.code(3, "slugs") { _ in }]

    expectError(
      .scripts,
      "\"\(site.scripts)/3_three.sql\" and \"slugs (UpliftTests/MigrationsTests.swift:\(line))\" "
        + "have the same number, 3"
    ) { _ = try site.upgrader(of: steps).status() }
  }

  @Test func `are refused if two steps have the same number, and the error names both lines`()
    throws
  {
    let site = try Site.holding("CREATE TABLE t(a)")
    let line = #line
    let steps: Upgrader.Migrations = [
      .sql(2, "one", "SELECT 1"),
      .sql(2, "two", "SELECT 2"),
    ]

    expectError(
      .scripts,
      "\"one (UpliftTests/MigrationsTests.swift:\(line + 2))\" and "
        + "\"two (UpliftTests/MigrationsTests.swift:\(line + 3))\" have the same number, 2"
    ) { try site.upgrade(steps) }
  }

  @Test func `are refused if two directories have the same number, and the error names both paths`()
    throws
  {
    let site = try Site(seed: nil)
    let other = try Site(seed: nil, scripts: ["4.sql": "SELECT 4;", "3.sql": "SELECT 3;"])
    let paths = ["\(other.scripts)/3.sql", "\(site.scripts)/3_three.sql"].sorted()

    expectError(.scripts, "\"\(paths[0])\" and \"\(paths[1])\" have the same number, 3") {
      _ = try site.upgrader(of: .directory(site.scripts) + .directory(other.scripts)).status()
    }
  }

  @Test func `run in the order of their releases`() throws {
    let site = try Site.holding("CREATE TABLE t(a); PRAGMA user_version = 1")

    let upgrade = try site.upgrade([
      .sql("1.10", "ten", "SELECT 1"), .sql("1.2.5", "two", "SELECT 1"),
      .sql("1.1-1", "one and a step", "SELECT 1"), .sql("1.1", "one", "SELECT 1"),
    ])

    #expect(upgrade.applied.map(\.name) == ["one", "one and a step", "two", "ten"])
    #expect(upgrade.end.number == 1_100_000)
  }

  @Test func `have plain numbers or dotted ones`() throws {
    let site = try Site(seed: nil)
    let steps: Upgrader.Migrations = .directory(site.scripts) + [.sql("1.4", "release", "SELECT 1")]

    let words = "/2_two.sql\" has a plain number and \"release (UpliftTests/"
    let error = expectError(.scripts, words) {
      _ = try site.upgrader(of: steps).status()
    }

    #expect(error?.message.hasSuffix(")\" a dotted one") == true)
  }

  @Test func `are equal in number, dotted or not`() {
    #expect(Version(1_040_201) == "1.4.2-1")
    #expect(Set<Version>([1_040_201, "1.4.2-1"]).count == 1)
  }

  @Test func `do not begin at 0`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let place = "none (UpliftTests/MigrationsTests.swift:\(#line + 1))"
    let steps: Upgrader.Migrations = [.code(0, "none") { _ in }]

    expectError(.scripts, "\"\(place)\": the number is 0, the first script is 1") {
      try site.upgrade(steps)
    }
  }

  @Test func `may be put together by the program`() throws {
    let site = try Site.holding("CREATE TABLE t(a)")
    let steps = (2...4).map { number in
      Upgrader.Migration.sql(
        Version(number) ?? 1, "step \(number)", "INSERT INTO t VALUES (\(number))")
    }

    let upgrade = try site.upgrade(Upgrader.Migrations(steps))

    #expect(upgrade.applied.map(\.version) == [2, 3, 4])
  }
}
