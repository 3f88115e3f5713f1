import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// What the suites about `adopt` share.
protocol AdoptSuite {}

extension AdoptSuite {
  static var scripts: [String: String] {
    [
      "0002_add_kind.sql": "ALTER TABLE item ADD COLUMN kind TEXT;",
      "0003_index.sql": "CREATE INDEX item_name ON item(name);",
      "0004_no_index.sql": "DROP INDEX item_name; CREATE TABLE note(text TEXT);",
    ]
  }

  /// A site whose database was at a version, and has lost it.
  func site(
    at version: Version, seed: String? = Site.seed, scripts: [String: String] = Self.scripts,
    _ sql: String = ""
  ) throws -> Site {
    let site = try Site(seed: seed, scripts: scripts)
    try upgrader(site, target: version).upgrade()
    try Shell.run(site.database, "PRAGMA user_version = 0;" + sql)
    return site
  }

  func upgrader(
    _ site: Site, target: Version? = nil, patience: Duration = .milliseconds(300)
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.patience = patience
    let hasSeed = site.scratch.bytes("resources/app.db") != nil
    return Upgrader(
      database: site.database, seed: hasSeed ? .file(site.seed) : nil,
      migrations: .directory(site.scripts), target: target, options: options)
  }

  /// The error of an adoption, which has changed nothing.
  func failure(
    _ site: Site, _ version: Version? = nil, upgrader: Upgrader? = nil
  ) throws -> AdoptionFailure? {
    let before = try Snapshot(of: site.scratch.path)
    let error = #expect(throws: AdoptionFailure.self) {
      try (upgrader ?? self.upgrader(site)).adopt(version: version)
    }
    #expect(try Snapshot(of: site.scratch.path) == before)
    return error
  }

  func differences(_ failure: AdoptionFailure?) -> [String] {
    failure?.differences.map(\.description) ?? []
  }
}
