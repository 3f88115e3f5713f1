internal import Uplift
internal import UpliftRelease

/// The status of a database as the command prints it.
struct StatusReport {
  let status: Status
  var error: ErrorReport?
  /// The result of `--verify`; nil if nothing was compared.
  var verification: Verification?
  let database: String
  private let seed: String?

  init(_ status: Status, _ invocation: Invocation) {
    self.status = status
    error = status.refusal.map { ErrorReport($0, signal: nil) }
    database = invocation.database
    seed = invocation.seed
  }

  /// The status of one of many databases.
  init(_ status: Status, of database: String) {
    self.status = status
    error = status.refusal.map { ErrorReport($0, signal: nil) }
    self.database = database
    seed = nil
  }

  /// Labels and their values, one value a line, all indented to the same column.
  var lines: [String] {
    var seed: String?
    if let path = self.seed, let version = status.seed { seed = "\(path) at \(version)" }
    var rows = [
      ("database", [database]),
      ("version", [version]),
      ("seed", [seed ?? "none"]),
      ("applied", applied),
      ("pending", status.pending.map(\.name)),
    ]
    if let verification { rows += Self.rows(of: verification) }
    return rows.flatMap { label, values in
      (values.isEmpty ? ["none"] : values).enumerated().map { index, value in
        let label = index == 0 ? label : ""
        return label + String(repeating: " ", count: 10 - label.count) + value
      }
    }
  }

  /// True if there is a file, even an empty one.
  var isThere: Bool { status.version != nil }

  private static func rows(of verification: Verification) -> [(String, [String])] {
    let made = "what the scripts make for \(verification.version)"
    let differences = verification.differences.map(\.description)
    var rows = [("schema", verification.fits ? [made] : ["not \(made):"] + differences)]
    if !verification.others.isEmpty { rows.append(("others", verification.others)) }
    return rows
  }

  var version: String {
    guard let version = status.version else { return "not there" }
    return version > status.target
      ? "\(version), the target is \(status.target)" : "\(version) of \(status.target)"
  }

  /// The scripts numbered up to the version, and a line of warning.
  ///
  /// A database stores its version and nothing else, so a script that was added later with a lower
  /// number is listed although it never ran. The warning says this.
  private var applied: [String] {
    guard !status.applied.isEmpty else { return [] }
    return status.applied.map(\.name)
      + ["(listed by number, so a script that was added later and never ran is listed, too)"]
  }
}

extension JSON {
  /// The object that `uplift status --json` prints.
  ///
  /// - `command`: `"status"`
  /// - `database`: its path; null if the options do not lead to one
  /// - `exists`: true if it is there
  /// - `version`: its version; null if it is not there
  /// - `target`: the version that an upgrade would lead to
  /// - `seed`: the seed's version; null if there is no seed
  /// - `applied`: the scripts that are numbered up to the version, each a `version` and a `name`
  /// - `pending`: the scripts that an upgrade would run, likewise
  /// - `current`: true if an upgrade would have nothing to do
  /// - `schema`: with `--verify` only, and null if nothing was compared: `fits`, true if the schema
  ///   is as the scripts make it; `differences`, each with its `object` and a `message`; `others`,
  ///   the objects that were not compared
  /// - `error`: only if an upgrade would refuse the database, the seed or the numbers of the
  ///   scripts, or if one of them could not be read; members that are not known are null. The
  ///   scripts' text is not read, and whether the file can be written is not tested.
  init(_ report: StatusReport, verifies: Bool) {
    func steps(_ migrations: [Migration]) -> JSON {
      .array(
        migrations.map {
          .object([("version", JSON($0.version)), ("name", .string($0.name))])
        })
    }
    let status = report.status
    var members: [(name: String, value: JSON)] = [
      ("command", .string("status")),
      ("database", JSON(report.database)),
      ("exists", .bool(status.version != nil)),
      ("version", JSON(status.version)),
      ("target", JSON(status.target)),
      ("seed", JSON(status.seed)),
      ("applied", steps(status.applied)),
      ("pending", steps(status.pending)),
      ("current", .bool(status.isCurrent)),
    ]
    if verifies { members.append(("schema", report.verification.map { JSON($0) } ?? .null)) }
    if let error = report.error { members.append(("error", JSON(error))) }
    self = .object(members)
  }

  private init(_ verification: Verification) {
    self = .object([
      ("fits", .bool(verification.fits)),
      ("differences", .array(verification.differences.map { JSON($0) })),
      ("others", .array(verification.others.map { .string($0) })),
    ])
  }

  init(_ difference: ObjectDifference) {
    self = .object([
      ("object", .string(difference.object)), ("message", .string(difference.description)),
    ])
  }

  /// The same object if the status could not be read; members that are not known are null.
  init(
    _ error: ErrorReport, _ database: String?, _ exists: Bool?, _ version: Version?,
    target: Version?
  ) {
    self = .object([
      ("command", .string("status")),
      ("database", JSON(database)),
      ("exists", exists.map { .bool($0) } ?? .null),
      ("version", JSON(version)),
      ("target", JSON(target)),
      ("seed", .null),
      ("applied", .null),
      ("pending", .null),
      ("current", .null),
      ("error", JSON(error)),
    ])
  }
}
