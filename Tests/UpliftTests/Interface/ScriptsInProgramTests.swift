import TestSupport
import Testing
import Uplift

/// Scripts that the program carries in itself, with the names of their files.
struct ScriptsInProgramTests {
  private func upgrade(
    _ scripts: [(name: String, text: String)]
  ) throws -> (Upgrade?, UpgradeError?, Site) {
    let site = try Site.holding("CREATE TABLE t(a); PRAGMA user_version = 1;")
    do {
      return (try site.upgrade(.scripts(scripts)), nil, site)
    } catch {
      return (nil, error, site)
    }
  }

  @Test func `run in the order of the numbers in their names`() throws {
    let (upgrade, _, site) = try upgrade([
      ("10_later.sql", "INSERT INTO t SELECT b FROM u;"), ("2_first.sql", "CREATE TABLE u(b);"),
    ])

    #expect(upgrade?.applied.map(\.name) == ["2_first.sql", "10_later.sql"])
    #expect(try Shell.version(site.database) == 10)
  }

  @Test func `are named in an error, with the line`() throws {
    let (_, error, site) = try upgrade([("2_no.sql", "SELECT 1;\nSELECT nope;")])

    #expect(error?.description.hasPrefix("2_no.sql:2:8: no such column: nope") == true)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test(arguments: [
    ("words.sql", "the name does not begin with a number"),
    ("2_words.txt", "the name does not begin with a number"),
    (".2_hidden.sql", "the name does not begin with a number"),
    ("2_x.down.sql", "the name says that the script undoes another"),
    ("0_none.sql", "the number is 0, the first script is 1"),
  ])
  func `are refused if the name is not that of a script`(name: String, problem: String) throws {
    let (_, error, site) = try upgrade([("2_good.sql", "SELECT 1;"), (name, "SELECT 1;")])

    #expect(error?.says(.scripts, "\"\(name)\": \(problem)") == true)
    #expect(try Shell.version(site.database) == 1)
  }

  @Test func `are refused if two have the same number`() throws {
    let (_, error, _) = try upgrade([("2_a.sql", "SELECT 1;"), ("002_b.sql", "SELECT 1;")])

    let words = "\"002_b.sql\" and \"2_a.sql\" have the same number, 2"
    #expect(error?.says(.scripts, words) == true)
  }
}
