import TestSupport
import Testing
import Uplift

/// The caller chooses what happens if there is no database.
struct MissingDatabaseTests {
  private func options(_ choice: Upgrader.IfMissing) -> Upgrader.Options {
    var options = Upgrader.Options()
    options.ifMissing = choice
    return options
  }

  @Test(.tags(.F15)) func `is refused if the caller says that it must exist`() throws {
    let site = try Site()

    #expect(throws: UpgradeError.missingDatabase(site.database)) {
      try site.upgrade(options: options(.fail))
    }

    #expect(site.scratch.names() == ["resources"])
  }

  @Test(.tags(.F15)) func `the choice does not matter once the database exists`() throws {
    let site = try Site()
    try site.place(Site.seed)

    let upgrade = try site.upgrade(options: options(.fail))

    #expect(upgrade.start == .existing(1))
    #expect(upgrade.end == 3)
  }

  @Test(.tags(.F15)) func `is made empty, and runs all scripts`() throws {
    let site = try Site(scripts: [
      "1.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name);", "2.sql": Site.script(2),
    ])

    let upgrade = try site.upgrade(target: 2, options: options(.empty))

    #expect(upgrade.start == .created)
    #expect(try site.names() == ["script 2"])
  }

  /// The scripts after the seed may need what those before it make.
  @Test(.tags(.F15)) func `is not made empty if the script that leads to the seed did not ship`()
    throws
  {
    let site = try Site()

    expectError(.scripts, "the database is at 0, and no script leads to 1") {
      _ = try site.upgrade(options: options(.empty))
    }

    #expect(site.scratch.names() == ["resources"])
  }

  @Test(.tags(.F15), arguments: [.seed, .empty] as [Upgrader.IfMissing])
  func `is made in a directory that is made for it`(choice: Upgrader.IfMissing) throws {
    let site = try Site(scripts: [
      "1.sql": "CREATE TABLE IF NOT EXISTS item(id, name);", "2.sql": Site.script(2),
    ])

    let upgrade = try site.upgrade(target: 2, options: options(choice))

    #expect(upgrade.end == 2)
    #expect(try site.snapshot().names == ["app.db"])
  }
}
