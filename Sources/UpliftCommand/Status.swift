package import Uplift
internal import UpliftRelease

extension Run {
  /// `uplift status`: reports the version and the pending scripts, and changes nothing.
  ///
  /// If an upgrade would be refused, it also reports that error and ends with its exit code.
  func status() -> Report {
    let upgrader: Upgrader
    do {
      upgrader = try self.upgrader()
    } catch {
      return StatusReport(ErrorReport(error), target: arguments.target)
        .report(verifies: arguments.verifies)
    }
    var isLate = false
    var status = StatusReport(of: upgrader)
    if let time = arguments.waiting {
      do throws(UpgradeError) {
        isLate = try !upgrader.wait(time, isCancelled: Self.isCancelled)
        status = StatusReport(of: upgrader)
      } catch {
        status.error = ErrorReport(error)
      }
    }
    if arguments.verifies, status.error == nil { verify(upgrader, &status) }
    var report = status.report(
      verifies: arguments.verifies, wantsExitCode: arguments.wantsExitCode)
    // Whatever the reason is: it may go.
    if isLate { report.exit = .pending }
    return report
  }

  /// Compares the schema; an upgrade would accept the database.
  private func verify(_ upgrader: Upgrader, _ report: inout StatusReport) {
    do throws(UpgradeError) {
      report.verification = try upgrader.verify(isCancelled: Self.isCancelled)
      if report.verification != nil { return }
      throw UpgradeError(
        .missing, "\(upgrader.database.quoted) holds nothing, so there is no schema to compare",
        fix: "run uplift up, which makes or fills it")
    } catch {
      report.error = ErrorReport(error)
    }
  }
}

/// The status of a database, or as much of it as could be read.
struct StatusReport {
  fileprivate(set) var error: ErrorReport?
  /// The result of `--verify`; nil if nothing was compared.
  fileprivate(set) var verification: Verification?
  private var database: String?
  private var seed: String?
  private var exists: Bool?
  private var version: Version?
  private var target: Version?
  /// Nil if it could not be read.
  private(set) var status: Status?

  /// The options, or a name, do not lead to a database.
  init(_ error: ErrorReport, of database: String? = nil, target: Version?) {
    self.error = error
    self.database = database
    self.target = target
  }

  init(of upgrader: Upgrader) {
    database = upgrader.database
    seed = upgrader.seed?.name
    do {
      let status = try upgrader.status(patience: .seconds(1), Run.isCancelled)
      self.status = status
      (exists, version, target) = (status.version != nil, status.version, status.target)
      error = status.refusal.map { ErrorReport($0) }
    } catch {
      let report = ErrorReport(error)
      self.error = report
      target = upgrader.knownTarget()
      // The database alone may be readable; but a second look would only wait again.
      switch report.exit {
      case .unusable: exists = true
      case .busy, .interrupted, .terminated: break
      default: (exists, version) = upgrader.glance()
      }
    }
  }

  func report(verifies: Bool = false, wantsExitCode: Bool = false) -> Report {
    var members: JSON = [
      "database": database, "exists": exists, "version": version, "target": target,
      "seed": status?.seed, "applied": status?.applied.map(\.json),
      "pending": status?.pending.map(\.json), "current": status?.isCurrent,
    ]
    if verifies { members = members + ["schema": verification.map(\.json)] }
    var report = Report(lines: lines, members: members, errors: error.map { [$0] } ?? [])
    if error == nil, verification?.fits == false {
      report.exit = .different
    } else if error == nil, wantsExitCode, status?.isCurrent == false {
      report.exit = .pending
    }
    return report
  }

  /// Labels and their values, one value a line, all indented to the same column.
  private var lines: [String] {
    guard let database, exists != nil else { return [] }
    var rows = [("database", [database]), ("version", [versions])]
    if let status {
      let seed = seed.flatMap { path in status.seed.map { ["\(path) at \($0)"] } }
      rows += [
        ("seed", seed ?? []), ("applied", status.applied.map(\.shown)),
        ("pending", status.pending.map(\.shown)),
      ]
    }
    if let verification {
      let made = "what the scripts make for \(verification.version)"
      let differences = verification.differences.map(\.description)
      rows.append(("schema", verification.fits ? [made] : ["not \(made):"] + differences))
      if !verification.others.isEmpty { rows.append(("others", verification.others)) }
    }
    return rows.flatMap { label, values in
      (values.isEmpty ? ["none"] : values).enumerated().map { index, value in
        (index == 0 ? label : "").padded(to: 10) + value
      }
    }
  }

  /// The version beside the target: `2 of 3`.
  var versions: String {
    guard exists == true else { return "not there" }
    guard let version else { return "not known" }
    guard status != nil, let target else { return "\(version)" }
    return version > target ? "\(version), the target is \(target)" : "\(version) of \(target)"
  }
}

extension Upgrader.Migration {
  /// The name of its file, or the number and the name of a step of the program.
  package var shown: String {
    if case .code = body { "\(version) \(name)" } else { name }
  }

  fileprivate var json: JSON { ["version": version, "name": name] }
}

extension Verification {
  fileprivate var json: JSON {
    ["fits": fits, "differences": differences.map(\.json), "others": others]
  }
}

extension ObjectDifference {
  var json: JSON { ["object": object, "message": description] }
}
