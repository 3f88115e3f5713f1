import TestSupport
import Uplift

/// Scripts `0001.sql`, `0002.sql` and so on, and the database that they are run on.
struct Trial {
  let scratch: Scratch
  let count: Int

  /// `start` makes a database before the upgrade; without it, the first script makes the database.
  init(_ scripts: String..., start: String? = nil) throws {
    try self.init(scripts: scripts, start: start)
  }

  init(scripts: [String], start: String? = nil) throws {
    scratch = try Scratch()
    count = scripts.count
    try scratch.write("", to: "Migrations/.keep")
    for (index, text) in scripts.enumerated() { try write(text, as: index + 1) }
    if let start { try Shell.run(database, start) }
  }

  var database: String { scratch("app.db") }

  /// How errors name a script.
  func path(_ number: Int) -> String { scratch("Migrations/\(name(number))") }

  func name(_ number: Int) -> String { "000\(number).sql" }

  func write(_ text: String, as number: Int) throws {
    try scratch.write(text, to: "Migrations/\(name(number))")
  }

  func upgrader(
    to target: Int? = nil, _ change: (inout Upgrader.Options) -> Void = { _ in }
  ) -> Upgrader {
    var options = Upgrader.Options()
    options.patience = .seconds(20)
    change(&options)
    return Upgrader(
      database: database, migrations: .directory(scratch("Migrations")),
      target: Version(target ?? count), options: options)
  }

  @discardableResult
  func upgrade(
    to target: Int? = nil, _ change: (inout Upgrader.Options) -> Void = { _ in }
  ) throws -> Upgrade {
    try upgrader(to: target, change).upgrade()
  }

  /// Upgrades, and returns the error; nil if there was none.
  func error(
    _ change: (inout Upgrader.Options) -> Void = { _ in },
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) -> UpgradeError? {
    do throws(UpgradeError) {
      _ = try upgrader(to: nil, change).upgrade(onEvent: onEvent)
      return nil
    } catch {
      return error
    }
  }

  /// Upgrades, and returns how a script failed; nil if none did.
  func failure(
    _ change: (inout Upgrader.Options) -> Void = { _ in },
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) -> UpgradeError? {
    let error = error(change, onEvent: onEvent)
    return error?.kind == .failed ? error : nil
  }

  /// The output of the sqlite3 shell for the SQL.
  func ask(_ sql: String) throws -> String { try Shell.run(database, sql) }

  func version() throws -> Int { try Shell.version(database) }

  /// The state of an empty database.
  static let empty = """
    PRAGMA foreign_keys=OFF;
    BEGIN TRANSACTION;
    COMMIT;
    0
    """

  /// A dump of the database, and its version.
  func state() throws -> String { try ask(".dump\nPRAGMA user_version;") }
}

extension UpgradeError {
  /// The line and the column.
  var placeInScript: String { "\(place?.line ?? 0):\(place?.column ?? 0)" }

  var text: String? { place?.excerpt?.text }

  /// The same error without the directory of the script, which is different in each trial.
  var withoutDirectory: UpgradeError {
    guard let place, let name = place.file.split(separator: "/").last else { return self }
    return UpgradeError(
      kind, message, fix: remedy,
      at: Place(
        file: String(name), source: place.source, line: place.line, column: place.column,
        excerpt: place.excerpt),
      reached: reached, sqlite: sqlite, orphans: orphans)
  }
}
