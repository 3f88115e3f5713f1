internal import Uplift

/// What is there and what is pending, as the command tells it.
struct StatusReport {
  let status: Status
  private let invocation: Invocation

  init(_ status: Status, _ invocation: Invocation) {
    self.status = status
    self.invocation = invocation
  }

  /// A word, and what it says; further lines of the same are indented to stand below.
  var lines: [String] {
    var seed: String?
    if let path = invocation.seed, let version = status.seed { seed = "\(path) at \(version)" }
    let rows = [
      ("database", [invocation.database]),
      ("version", [status.version.map { "\($0) of \(status.target)" } ?? "not there"]),
      ("seed", [seed ?? "none"]),
      ("applied", status.applied.map(\.name)),
      ("pending", status.pending.map(\.name)),
    ]
    return rows.flatMap { label, values in
      (values.isEmpty ? ["none"] : values).enumerated().map { index, value in
        let label = index == 0 ? label : ""
        return label + String(repeating: " ", count: 10 - label.count) + value
      }
    }
  }
}

extension JSON {
  /// The object that `uplift status --json` prints.
  ///
  /// - `command`: `"status"`
  /// - `database`: its path; null where the options do not lead to one
  /// - `exists`: true where it is there
  /// - `version`: its version; null where it is not there
  /// - `target`: the version that an upgrade would lead to
  /// - `seed`: the seed's version; null where there is no seed
  /// - `applied`, `pending`: the scripts, each a `version` and a `name`
  /// - `current`: true where an upgrade would have nothing to do
  /// - `error`: on failure only; what is not known then is null
  init(_ report: StatusReport?, _ complaint: Complaint?, database: String?) {
    func steps(_ migrations: [Migration]) -> JSON {
      JSON(migrations.map { Step(version: $0.version, name: $0.name) })
    }
    let status = report?.status
    var members: [(name: String, value: JSON)] = [
      ("command", .string("status")),
      ("database", JSON(database)),
      ("exists", status.map { .bool($0.version != nil) } ?? .null),
      ("version", JSON(status?.version ?? complaint?.reached)),
      ("target", JSON(status?.target)),
      ("seed", JSON(status?.seed)),
      ("applied", status.map { steps($0.applied) } ?? .null),
      ("pending", status.map { steps($0.pending) } ?? .null),
      ("current", status.map { .bool($0.isCurrent) } ?? .null),
    ]
    if let complaint { members.append(("error", JSON(complaint))) }
    self = .object(members)
  }
}
