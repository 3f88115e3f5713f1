import TestSupport
import Uplift

/// Scripts, and a database that they are run on: `0001.sql`, `0002.sql` and so on.
struct Trial {
  let scratch: Scratch
  let count: Int

  /// `start` is what an existing database holds; without it, the first script makes the database.
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

  /// Why the upgrade failed; nil when it did not.
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

  /// The script that failed, where, and why; nil when none did.
  func failure(
    _ change: (inout Upgrader.Options) -> Void = { _ in },
    onEvent: @escaping (Upgrader.Event) -> Void = { _ in }
  ) -> UpgradeError.Failure? {
    guard case .failed(let failure) = error(change, onEvent: onEvent) else { return nil }
    return failure
  }

  /// What the shell says now.
  func ask(_ sql: String) throws -> String { try Shell.run(database, sql) }

  func version() throws -> Int { try Shell.version(database) }

  /// The state of a database without anything in it.
  static let empty = """
    PRAGMA foreign_keys=OFF;
    BEGIN TRANSACTION;
    COMMIT;
    0
    """

  /// All there is, with its version.
  func state() throws -> String { try ask(".dump\nPRAGMA user_version;") }
}

extension UpgradeError.Failure {
  /// What a test of a reason need not repeat.
  var place: String { "\(line ?? 0):\(column ?? 0)" }

  var text: String? { excerpt?.text }

  /// The new orphans; nil if the failure is another one.
  var violations: UpgradeError.ForeignKeyViolations? {
    guard case .foreignKeys(let violations) = reason else { return nil }
    return violations
  }
}

extension UpgradeError {
  /// The same without the directory of the script, which each trial has for itself.
  var withoutDirectory: UpgradeError {
    guard case .failed(let failure) = self, let line = failure.line, let column = failure.column,
      let excerpt = failure.excerpt, let name = failure.script.split(separator: "/").last
    else { return self }
    return .failed(
      Failure(
        script: String(name), source: failure.source, line: line, column: column, excerpt: excerpt,
        reason: failure.reason, reached: failure.reached, ranAlone: failure.ranAlone,
        missingName: failure.missingName))
  }
}
