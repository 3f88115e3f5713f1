import TestSupport
import Uplift

extension Site {
  /// A site with a database at version 1, made by the SQL.
  static func holding(_ sql: String) throws -> Site {
    let site = try Site(seed: nil, scripts: [:])
    try site.place(sql + ";PRAGMA user_version = 1;")
    return site
  }

  func upgrader(of steps: Upgrader.Migrations, options: Upgrader.Options = Upgrader.Options())
    -> Upgrader
  {
    Upgrader(database: database, migrations: steps, options: options)
  }

  /// Runs these steps.
  @discardableResult
  func upgrade(
    _ steps: Upgrader.Migrations, options: Upgrader.Options = Upgrader.Options()
  ) throws(UpgradeError) -> Upgrade {
    try upgrader(of: steps, options: options).upgrade()
  }

  /// Runs one step in Swift, version 2.
  @discardableResult
  func step(
    options: Upgrader.Options = Upgrader.Options(),
    _ body: @escaping @Sendable (borrowing Upgrader.Database) throws -> Void
  ) throws(UpgradeError) -> Upgrade {
    try upgrade([.code(2, "step", body)], options: options)
  }

  /// Runs one step in Swift that has to fail, and returns the failure.
  func failure(
    options: Upgrader.Options = Upgrader.Options(),
    _ body: @escaping @Sendable (borrowing Upgrader.Database) throws -> Void
  ) throws -> UpgradeError {
    do throws(UpgradeError) {
      try step(options: options, body)
    } catch {
      guard error.kind == .failed else { throw error }
      return error
    }
    throw NotFailed()
  }

  struct NotFailed: Error {}

  /// The output of the sqlite3 shell for the SQL.
  func shell(_ sql: String) throws -> String {
    try Shell.run(database, sql)
  }
}
