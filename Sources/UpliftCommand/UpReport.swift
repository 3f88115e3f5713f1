internal import Uplift

/// The report of `uplift up`.
///
/// Events fill it. At the end, the result of the upgrade replaces what the events said.
struct UpReport {
  private(set) var database: String?
  /// The version to reach; nil if the options and the scripts do not say it.
  var target: Version?
  private(set) var start: Version?
  /// The start as `up --each` prints it: `2`, `seeded at 1` or `created`.
  private var origin: Upgrade.Start?
  private(set) var isSeeded = false
  private(set) var isCreated = false
  private(set) var backup: String?
  private(set) var end: Version?
  private(set) var applied: [Upgrade.Step] = []
  private(set) var skipped: [Upgrade.Skipped] = []
  private(set) var error: ErrorReport?
  /// Scripts that have begun and are not committed yet.
  private var begun: [Begun] = []

  private struct Begun {
    let version: Version
    let name: String
    let start = ContinuousClock.now
    var duration: Duration = .zero
    var isFinished = false
    var skipped: [Upgrade.Skipped] = []
  }

  init(target: Version?) {
    self.target = target
  }

  mutating func begin(_ database: String) {
    self.database = database
  }

  /// Takes in an event, and returns the lines to print now.
  mutating func note(_ event: Upgrader.Event) -> [String] {
    let database = database ?? ""
    switch event {
    case .seeded(let seeded):
      isSeeded = true
      origin = .seeded(seeded)
      return ["seeded \(database) at \(seeded)"]
    case .created:
      isCreated = true
      origin = .created
      return ["created \(database)"]
    case .existing(let existing):
      start = existing
      origin = .existing(existing)
      return []
    case .backedUp(let copy):
      // It is made again if another process has written before the first script.
      backup = copy.path
      return ["copied \(database) at \(copy.version) to \(copy.path)"]
    case .started(let script):
      // After a rollback, scripts run again.
      begun.removeAll { $0.version >= script.version }
      begun.append(Begun(version: script.version, name: script.name))
      return []
    case .skipped(let statement):
      update(statement.version) { $0.skipped.append(statement) }
      return []
    case .finished(let script):
      update(script) {
        $0.duration = $0.start.duration(to: .now)
        $0.isFinished = true
      }
      return []
    case .committed(let committed):
      return recordCommit(through: committed)
    case .waiting, .progress:
      return []
    }
  }

  private mutating func update(_ version: Version, _ change: (inout Begun) -> Void) {
    guard let index = begun.firstIndex(where: { $0.version == version }) else { return }
    change(&begun[index])
  }

  private mutating func recordCommit(through version: Version) -> [String] {
    // A script that another process has applied meanwhile was begun here and not finished.
    let committed = begun.filter { $0.version <= version && $0.isFinished }
    begun.removeAll { $0.version <= version }
    applied += committed.map {
      Upgrade.Step(version: $0.version, name: $0.name, duration: $0.duration)
    }
    skipped += committed.flatMap(\.skipped)
    return committed.flatMap { one in
      let seconds =
        one.duration < .milliseconds(100) ? "" : " (\(one.duration.seconds(decimals: 1)) s)"
      return one.skipped.map { "skipped \($0.name):\($0.line): \($0.words)" }
        + ["applied \(one.name)\(seconds)"]
    }
  }

  mutating func finish(_ upgrade: Upgrade) -> [String] {
    target = upgrade.end
    end = upgrade.end
    if case .existing(let version) = upgrade.start { start = version }
    origin = upgrade.start
    applied = upgrade.applied
    skipped = upgrade.skipped
    return ["\(database ?? "") is at \(upgrade.end)"]
  }

  mutating func fail(_ error: ErrorReport) {
    self.error = error
    // The event `existing` comes before the first script. Without it, no script has run yet.
    if !isSeeded, !isCreated { start = start ?? error.reached }
    let hasRun = !begun.isEmpty || !applied.isEmpty
    end = error.reached ?? (hasRun ? nil : start)
  }
}

extension UpReport {
  /// True if this run has made or changed the database.
  var hasChanged: Bool { isSeeded || isCreated || !applied.isEmpty }

  /// The change in a few words: `3 -> 5`.
  var change: String {
    let versions = [origin.map { "\($0)" }, end.map { "\($0)" }].map { $0 ?? "not known" }
    return versions.joined(separator: " -> ") + (backup.map { ", copied to \($0)" } ?? "")
  }
}

extension JSON {
  /// The object that `uplift up --json` prints.
  ///
  /// - `command`: `"up"`
  /// - `database`: its path; null if the options do not lead to one
  /// - `target`: the version it was to reach; null if the options and the scripts do not say it
  /// - `start`: the version before; null if there was no database, or if an error came before the
  ///   version was read
  /// - `seeded`, `created`: true if this run made the database, from the seed or empty
  /// - `backup`: the path of the copy that was made before the first script; null if there is none
  /// - `end`: the version now; null if it is not known after an error
  /// - `applied`: the scripts that were run and committed, each a `version`, a `name` and `seconds`
  /// - `skipped`: the statements that were skipped, each the `version` and the `name` of its
  ///   script, its `line` and `text`, and SQLite's `words`
  /// - `error`: on failure only; see `ErrorReport+JSON.swift`
  init(_ report: UpReport) {
    var members: [(name: String, value: JSON)] = [
      ("command", .string("up")),
      ("database", JSON(report.database)),
      ("target", JSON(report.target)),
      ("start", JSON(report.start)),
      ("seeded", .bool(report.isSeeded)),
      ("created", .bool(report.isCreated)),
      ("backup", JSON(report.backup)),
      ("end", JSON(report.end)),
      ("applied", .array(report.applied.map { JSON($0) })),
      ("skipped", .array(report.skipped.map { JSON($0) })),
    ]
    if let error = report.error { members.append(("error", JSON(error))) }
    self = .object(members)
  }

  private init(_ step: Upgrade.Step) {
    self = .object([
      ("version", JSON(step.version)), ("name", .string(step.name)),
      ("seconds", .seconds(step.duration)),
    ])
  }

  private init(_ statement: Upgrade.Skipped) {
    self = .object([
      ("version", JSON(statement.version)), ("name", .string(statement.name)),
      ("line", .number(Int64(statement.line))), ("text", .string(statement.text)),
      ("words", .string(statement.words)),
    ])
  }
}
