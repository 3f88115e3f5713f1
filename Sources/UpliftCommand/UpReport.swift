internal import Uplift

/// A script, as the command tells of it.
package struct Step: Equatable, Sendable {
  let version: Version
  let name: String
}

/// What an upgrade has done so far, by its events; all of it once the upgrade has returned.
struct UpReport {
  private(set) var database: String?
  private(set) var target: Version?
  private(set) var start: Version?
  private(set) var isSeeded = false
  private(set) var isCreated = false
  private(set) var end: Version?
  private(set) var applied: [Step] = []
  private(set) var complaint: Complaint?
  /// Scripts that began, and are not on the disk yet.
  private var begun: [Step] = []

  init(target: Version?) {
    self.target = target
  }

  mutating func begin(_ database: String) {
    self.database = database
  }

  /// What can be told now, in lines.
  mutating func note(_ event: Upgrader.Event) -> [String] {
    let database = database ?? ""
    switch event {
    case .seeded(let version):
      isSeeded = true
      return ["seeded \(database) at \(version)"]
    case .created:
      isCreated = true
      return ["created \(database)"]
    case .started(let version, let name, _, _):
      // What ran before in a transaction that was undone runs again.
      begun.removeAll { $0.version >= version }
      begun.append(Step(version: version, name: name))
      return []
    case .committed(let version):
      let committed = begun.filter { $0.version <= version }
      begun.removeAll { $0.version <= version }
      applied += committed
      return committed.map { "applied \($0.name)" }
    case .waiting, .progress, .skipped, .finished:
      return []
    }
  }

  mutating func finish(_ upgrade: Upgrade) -> [String] {
    target = upgrade.end
    end = upgrade.end
    if case .existing(let version) = upgrade.start { start = version }
    applied = upgrade.applied.map { Step(version: $0.version, name: $0.name) }
    return ["\(database ?? "") is at \(upgrade.end)"]
  }

  mutating func fail(_ complaint: Complaint) {
    self.complaint = complaint
    end = complaint.reached
    // Nothing was committed: what it has reached is where it began.
    if !isSeeded, !isCreated, applied.isEmpty { start = complaint.reached }
  }
}

extension JSON {
  /// The object that `uplift up --json` prints.
  ///
  /// - `command`: `"up"`
  /// - `database`: its path; null where the options do not lead to one
  /// - `target`: the version it was to reach; null where an error came before that was known
  /// - `start`: the version before; null where it was not there, or not known before an error
  /// - `seeded`, `created`: true where it was made, from the seed or empty
  /// - `end`: the version now; null where an error came before that was known
  /// - `applied`: the scripts that were run and kept, each a `version` and a `name`
  /// - `error`: on failure only; see `JSON.init(_: Complaint)`
  init(_ report: UpReport) {
    var members: [(name: String, value: JSON)] = [
      ("command", .string("up")),
      ("database", JSON(report.database)),
      ("target", JSON(report.target)),
      ("start", JSON(report.start)),
      ("seeded", .bool(report.isSeeded)),
      ("created", .bool(report.isCreated)),
      ("end", JSON(report.end)),
      ("applied", JSON(report.applied)),
    ]
    if let complaint = report.complaint { members.append(("error", JSON(complaint))) }
    self = .object(members)
  }
}
