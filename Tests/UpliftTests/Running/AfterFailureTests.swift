import TestSupport
import Testing
import Uplift

/// After a failure the database is whole, at the last script that succeeded.
struct AfterFailureTests {
  private static let scripts = [
    "2_two.sql": Site.script(2),
    "3_three.sql": Site.script(3),
    "4_four.sql":
      "-- a comment\nSELECT 1;\n\n  INSERT INTO item(id, name)\n  VALUES(1, 'again');\n",
    "5_five.sql": Site.script(5),
  ]

  @Test(.tags(.promise6), arguments: [Duration.zero, .milliseconds(100), .seconds(100)])
  func `keeps the scripts before, however they were committed`(interval: Duration) throws {
    let site = try Site(scripts: Self.scripts)
    var options = Upgrader.Options()
    options.commitInterval = interval

    #expect(throws: UpgradeError.self) { try site.upgrade(target: 5, options: options) }

    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(try Shell.version(site.database) == 3)
    #expect(try Shell.run(site.database, "PRAGMA integrity_check;") == "ok")
  }

  @Test(.tags(.promise6))
  func `gives the location, SQLite's words and the version that was reached`() throws {
    let site = try Site(scripts: Self.scripts)

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: 5) }

    #expect(
      error?.description
        == "\(site.scripts)/4_four.sql:4:3: UNIQUE constraint failed: item.id "
        + "(SQLITE_CONSTRAINT_PRIMARYKEY, 1555); the database is at 3")
    #expect(error?.text == "  INSERT INTO item(id, name)")
    #expect(error?.sqlite == .init(number: 1555, name: "SQLITE_CONSTRAINT_PRIMARYKEY"))
    #expect(error?.kind == .failed && error?.reached == 3)
  }

  @Test(.tags(.promise6)) func `points at the word that is wrong`() throws {
    let site = try Site(scripts: ["2.sql": "INSERT INTO item\n\tVALEUS(2, 'x');"])

    let error = #expect(throws: UpgradeError.self) { try site.upgrade(target: 2) }

    #expect(
      error?.description
        == "\(site.scripts)/2.sql:2:2: near \"VALEUS\": syntax error (SQLITE_ERROR, 1); "
        + "the database is at 1")
    #expect(error?.text == "\tVALEUS(2, 'x');")
  }

  @Test(.tags(.promise6)) func `goes on where it stopped once the script is right`() throws {
    let site = try Site(scripts: Self.scripts)
    #expect(throws: UpgradeError.self) { try site.upgrade(target: 5) }
    try site.scratch.write(Site.script(4), to: "resources/scripts/4_four.sql")

    let upgrade = try site.upgrade(target: 5)

    #expect(upgrade.start == .existing(3))
    #expect(upgrade.applied.map(\.name) == ["4_four.sql", "5_five.sql"])
    #expect(try site.names() == ["seeded"] + (2...5).map { "script \($0)" })
  }
}
