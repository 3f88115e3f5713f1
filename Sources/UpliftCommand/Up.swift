internal import Uplift
internal import UpliftSystem

extension Run {
  /// `uplift up`: runs the upgrade, and prints each step when it is committed.
  func up() -> Report {
    let report = UpReport(target: arguments.target)
    do {
      let upgrader = try upgrader()
      let display = ProgressDisplay(of: upgrader.database, on: console)
      let files = TemporaryFiles(inside: Path(upgrader.database).parent)
      report.run(upgrader, files) { event, lines in
        display.show(event)
        if isTalking { for line in lines { console.result(line.printable, waits: false) } }
      }
    } catch {
      report.fail(ErrorReport(error))
    }
    return report.report
  }
}

/// What an upgrade did, as its events say.
final class UpReport {
  /// Nil if the options do not lead to one.
  private var database: String?
  /// Nil if the options and the scripts do not say it.
  private var target: Version?
  /// Nil until the upgrade has found or made a database.
  private var start: Upgrade.Start?
  private var backup: String?
  private var end: Version?
  private var applied: [Upgrade.Step] = []
  private(set) var skipped: [Upgrade.Skipped] = []
  private var error: ErrorReport?
  /// Scripts that have begun and are not committed yet; the last may be running.
  private var begun: [Begun] = []

  private struct Begun {
    let version: Version
    let name: String
    let start = ContinuousClock.now
    var duration: Duration?
    /// The latest news of a script that repeats.
    var progress: Upgrader.Event.Progress?
    var skipped: [Upgrade.Skipped] = []
  }

  init(of database: String? = nil, target: Version?) {
    self.database = database
    self.target = target
  }

  /// Upgrades the database; `show` gets each event, and the lines to print now.
  func run(
    _ upgrader: Upgrader, _ files: TemporaryFiles,
    show: @escaping (Upgrader.Event, [String]) -> Void
  ) {
    database = upgrader.database
    do {
      let upgrade = try upgrader.upgrade(isCancelled: Run.isCancelled) { event in
        if case .started(let script) = event, script.index == 1 { files.discardLeftovers() }
        show(event, self.note(event))
      }
      (start, end, target) = (upgrade.start, upgrade.end, upgrade.end)
      (applied, skipped) = (upgrade.applied, upgrade.skipped)
    } catch {
      target = upgrader.knownTarget()
      fail(ErrorReport(error))
    }
  }

  private func note(_ event: Upgrader.Event) -> [String] {
    let database = database ?? ""
    switch event {
    case .seeded(let version):
      start = .seeded(version)
      return ["seeded \(database) at \(version)"]
    case .created:
      start = .created
      return ["created \(database)"]
    case .existing(let version): start = .existing(version)
    case .backedUp(let copy):
      // It is made again if another process has written before the first script.
      backup = copy.path
      return ["copied \(database) at \(copy.version) to \(copy.path)"]
    case .started(let script):
      // After a rollback, scripts run again.
      begun.removeAll { $0.version >= script.version }
      begun.append(Begun(version: script.version, name: script.name))
    case .skipped(let statement):
      if let last = begun.indices.last { begun[last].skipped.append(statement) }
    case .finished:
      if let last = begun.indices.last {
        begun[last].duration = begun[last].start.duration(to: .now)
      }
    case .committed(let version): return recordCommit(through: version)
    case .progress(let progress):
      if let last = begun.indices.last { begun[last].progress = progress }
    case .waiting: break
    }
    return []
  }

  private func recordCommit(through version: Version) -> [String] {
    let committed = begun.filter { $0.version <= version }
    begun.removeAll { $0.version <= version }
    var lines: [String] = []
    for script in committed {
      // A script that another process has applied meanwhile was begun here and not finished.
      guard let duration = script.duration else { continue }
      let step = Upgrade.Step(
        version: script.version, name: script.name, duration: duration,
        passes: script.progress?.passes, rows: script.progress?.rows)
      applied.append(step)
      skipped += script.skipped
      lines += script.skipped.map(\.shown) + ["applied \(script.name)\(step.shown)"]
    }
    return lines
  }

  func fail(_ error: ErrorReport) {
    self.error = error
    // The event `existing` comes before the first script. Without it, no script has run yet.
    if start == nil { start = error.reached.map { .existing($0) } }
    end = error.reached
    if end == nil, begun.isEmpty, applied.isEmpty, case .existing(let version) = start {
      end = version
    }
  }
}

extension UpReport {
  /// True if this run has made or changed the database.
  var hasChanged: Bool {
    if case .existing = start { !applied.isEmpty } else { start != nil }
  }

  /// The change in a few words: `3 -> 5`.
  var change: String {
    let versions = [start.map { "\($0)" }, end.map { "\($0)" }].map { $0 ?? "not known" }
    return versions.joined(separator: " -> ") + (backup.map { ", copied to \($0)" } ?? "")
  }

  /// The last line, and the members of the object that the page *JSON* describes.
  var report: Report {
    var before: Version?
    if case .existing(let version) = start { before = version }
    var (isSeeded, isCreated) = (false, false)
    if case .seeded = start { isSeeded = true }
    if case .created = start { isCreated = true }
    let members: JSON = [
      "database": database, "target": target, "start": before, "seeded": isSeeded,
      "created": isCreated, "backup": backup, "end": end, "applied": applied.map(\.json),
      "skipped": skipped.map(\.json),
    ]
    let lines = error == nil ? end.map { ["\(database ?? "") is at \($0)"] } ?? [] : []
    return Report(lines: lines, members: members, errors: error.map { [$0] } ?? [])
  }
}

extension Upgrade.Step {
  fileprivate var json: JSON {
    let step: JSON = ["version": version, "name": name, "seconds": duration]
    return step.with("passes", passes).with("rows", rows)
  }

  /// What there is to say about a step that takes long, as ` (2.1 s)`.
  fileprivate var shown: String {
    var parts: [String] = []
    if let passes, let rows { parts = ["\(passes) passes", "\(rows.grouped) rows"] }
    if duration >= .milliseconds(100) { parts.append("\(duration.seconds(decimals: 1)) s") }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}

extension Upgrade.Skipped {
  fileprivate var json: JSON {
    ["version": version, "name": name, "line": line, "text": text, "words": words]
  }

  /// The line that `up` prints.
  var shown: String { "skipped \(name):\(line): \(words)" }
}
