import Foundation
import TestSupport
import Testing
import Uplift

/// A boot removes no files but its own.
struct OwnFilesTests {
  private static let backups = [
    "app.db-uplift", "app.db-uplift-20261121", "app.db-uplift-0123abcd", ".app.db.uplift",
    ".app.db.20261121.uplift", ".app.db.ghjkmnpqrstvwxyzz.uplift",
    ".app.db.0123456789abcdef.uplift",
  ]

  @Test(.tags(.F16, .promise2), arguments: [nil, 2, 3] as [Int?])
  func `an administrator's copies of the database stay`(version: Int?) throws {
    let site = try Site()
    try site.makeData()
    if let version { try site.place(Site.seed + "PRAGMA user_version=\(version);") }
    for name in Self.backups { try site.scratch.write("mine", to: "data/" + name) }
    if version != nil {
      try FileManager.default.linkItem(
        atPath: site.database, toPath: site.scratch("data/app.db-backup"))
    }

    _ = try site.upgrade()

    #expect(Set(site.scratch.names("data")).isSuperset(of: Self.backups))
  }

  @Test(.tags(.F16)) func `a directory and a link with the name of a copy stay, and are no error`()
    throws
  {
    let site = try Site()
    try site.scratch.write("mine", to: Site.copy + "/file")
    try site.scratch.write("mine", to: "elsewhere")
    try FileManager.default.createSymbolicLink(
      atPath: site.scratch("data/.app.db.zzzzzzzzzzzzzzzz.uplift"),
      withDestinationPath: site.scratch("elsewhere"))

    let upgrade = try site.upgrade()

    #expect(upgrade.end == 3)
    #expect(site.scratch.names("data").count == 3)
  }

  @Test(.tags(.F16, .promise2))
  func `a file with the name of a copy stays if it has another name as well`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try site.scratch.write("mine", to: Site.copy)
    try FileManager.default.linkItem(
      atPath: site.scratch(Site.copy), toPath: site.scratch("data/mine"))

    _ = try site.upgrade()

    #expect(site.scratch.names("data").count == 3)
  }

  @Test(.tags(.F16, .promise8))
  func `a file that a crash left is removed when there is work to do`() throws {
    let site = try Site()
    try site.place(Site.seed)
    try site.scratch.write("part of a copy", to: Site.copy)

    _ = try site.upgrade()

    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.F12, .promise8)) func `a database with the longest possible name can be seeded`()
    throws
  {
    let site = try Site()
    let name = String(repeating: "d", count: 247)
    let upgrader = Upgrader(
      database: site.scratch("data/" + name), seed: .file(site.seed),
      migrations: .directory(site.scripts), target: 3)

    let upgrade = try upgrader.upgrade()

    #expect(upgrade.end == 3)
    #expect(site.scratch.names("data") == [name])
  }
}
