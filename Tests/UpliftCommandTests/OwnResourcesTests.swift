import Foundation
import TestSupport
import Testing
import Uplift
import UpliftCommand

/// A program that runs beside a copy of its resources, and writes a release into its sources.
struct OwnResourcesTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  /// A seed at 3, a script, and a program whose step in Swift has the number 3.
  ///
  /// `new` runs in this process, because no program of the package has such a step.
  private func new(
    _ words: String..., from scripts: Upgrader.Migrations? = nil
  ) throws -> Int32 {
    for directory in ["copy", "sources"] {
      try scratch.write("CREATE TABLE b (y);", to: "\(directory)/Migrations/0002_b.sql")
      try scratch.write("", to: "\(directory)/app.db")
      try Shell.run(
        scratch("\(directory)/app.db"),
        "CREATE TABLE a (id INTEGER PRIMARY KEY); PRAGMA user_version = 3;")
    }
    let upgrader = Upgrader(
      database: scratch("app.db"), seed: .file(scratch("copy/app.db")),
      migrations: (scripts ?? .directory(scratch("copy/Migrations"))) + [.code(3, "slugs") { _ in }]
    )
    return DatabaseCommand(upgrader, name: "guestbook db").run(["new"] + words + ["--quiet"])
  }

  @Test func `gets a script among those that an option names, after its steps`() throws {
    #expect(try new("--refresh", "a", "--overwrite", "--resources", scratch("sources")) == 0)

    #expect(scratch.names("sources/Migrations") == ["0002_b.sql", "0004_refresh_a.sql"])
    #expect(scratch.names("copy/Migrations") == ["0002_b.sql"])
  }

  @Test func `gets a script among those that it carries in itself`() throws {
    let scripts = Upgrader.Migrations.scripts([("0002_b.sql", "CREATE TABLE b (y);")])

    #expect(try new("x", "--migrations", scratch("sources/Migrations"), from: scripts) == 0)

    #expect(scratch.names("sources/Migrations") == ["0002_b.sql", "0004_x.sql"])
  }

  /// People bake first, and raise the target afterwards.
  @Test func `gets a seed with the scripts above its target`() throws {
    try scratch.write("CREATE TABLE b (y);", to: "Migrations/0002_b.sql")
    try scratch.write("", to: "app.db")
    try Shell.run(scratch("app.db"), "CREATE TABLE a (x); PRAGMA user_version = 1;")
    let upgrader = Upgrader(
      database: scratch("data.db"), seed: .file(scratch("app.db")),
      migrations: .directory(scratch("Migrations")), target: 1)

    #expect(DatabaseCommand(upgrader, name: "guestbook db").run(["bake", "--quiet"]) == 0)

    #expect(try Shell.version(scratch("app.db")) == 2)
  }

  @Test(arguments: ["--resources", "--migrations"])
  func `refuses a directory if it is not clear which scripts it has`(option: String) throws {
    let value = scratch(option == "--resources" ? "sources" : "sources/Migrations")
    let two =
      .directory(scratch("copy/Migrations")) + .scripts([("0001_first.sql", "SELECT 1;")])

    #expect(try new("x", option, value, from: two) == 64)
    #expect(try new("x", option, value, from: []) == 64)

    #expect(scratch.names("sources/Migrations") == ["0002_b.sql"])
  }

  /// Makes two copies of the guestbook's resources; a bake would change the seeds of both.
  private func guestbook(_ command: String) throws -> Outcome {
    for name in ["Resources", "sources"] {
      try FileManager.default.copyItem(
        atPath: Page.package.appendingPathComponent("Resources").resolvingSymlinksInPath().path,
        toPath: scratch(name))
      try Shell.run(scratch("\(name)/guestbook.db"), "CREATE TABLE x (y); DROP TABLE x;")
    }
    try FileManager.default.copyItem(
      atPath: Page.package.appendingPathComponent("Released").path, toPath: scratch("Released"))
    let program = Command.product("Guestbook").path
    return try Command("/bin/sh").run(
      "-c",
      "cp Resources/guestbook.db before.db; "
        + command.replacing("guestbook db", with: "'\(program)' db")
        + "; code=$?; cmp Resources/guestbook.db before.db && exit $code", in: scratch.path)
  }

  @Test(arguments: ["--resources sources", "--seed sources/guestbook.db"])
  func `bakes the seed that an option names`(option: String) throws {
    let outcome = try guestbook("guestbook db bake \(option)")

    #expect(outcome == Outcome(status: 0, output: "sources/guestbook.db is now at 7\n", errors: ""))
  }

  @Test func `says that its target has to be raised after new content`() throws {
    let outcome = try guestbook(
      "sqlite3 sources/guestbook.db 'DELETE FROM prompts WHERE id = 1'; "
        + "guestbook db bake --content --resources sources")

    #expect(
      outcome.output.hasSuffix(
        "sources/guestbook.db is now at 8\nraise the target of the program from 7 to 8\n"))
  }

  @Test func `bakes no other seed if the resources have none`() throws {
    let outcome = try guestbook("rm sources/guestbook.db; guestbook db bake --resources sources")

    #expect(outcome.status == 66)
    #expect(outcome.errors.hasPrefix("guestbook db: no seed is given as a file\n"))
  }

  @Test func `checks the scripts that an option names`() throws {
    let outcome = try guestbook(
      "echo 'SELECT nosuch;' > sources/Migrations/0001_first.sql; "
        + "guestbook db check --migrations sources/Migrations")

    #expect(outcome.status == 65)
    #expect(outcome.output.contains("sources/Migrations/0001_first.sql:1:8: no such column"))
  }
}
