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
  ) -> UpgradeError.Failure? {
    guard case .failed(let failure) = error(change, onEvent: onEvent) else { return nil }
    return failure
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

extension UpgradeError.Failure {
  /// The line and the column.
  var place: String { "\(line ?? 0):\(column ?? 0)" }

  var text: String? { excerpt?.text }

  /// The new orphans; nil if the failure is another one.
  var violations: UpgradeError.ForeignKeyViolations? {
    guard case .foreignKeys(let violations) = reason else { return nil }
    return violations
  }
}

extension UpgradeError {
  /// The same error without the directory of the script, which is different in each trial.
  var withoutDirectory: UpgradeError {
    guard case .failed(let failure) = self, let name = failure.script.split(separator: "/").last
    else { return self }
    guard let line = failure.line, let column = failure.column, let excerpt = failure.excerpt else {
      return .failed(
        Failure(script: String(name), reason: failure.reason, reached: failure.reached))
    }
    return .failed(
      Failure(
        script: String(name), source: failure.source, line: line, column: column, excerpt: excerpt,
        reason: failure.reason, reached: failure.reached))
  }
}
