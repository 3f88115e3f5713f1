internal import Uplift
internal import UpliftRelease

extension Run {
  /// `uplift check` and `uplift release`, which also records the release if there is no finding.
  func check() throws(UpgradeError) -> Report {
    let upgrader = try upgrader()
    let display = ProgressDisplay(of: "the copy", on: console)
    if arguments.verb == .check {
      return Report(
        try upgrader.check(
          released: arguments.released, fixtures: arguments.fixtures,
          isCancelled: Self.isCancelled, onEvent: { display.show($0) }))
    }
    let release = try upgrader.release(
      released: arguments.released, fixtures: arguments.fixtures,
      isCancelled: Self.isCancelled, onEvent: { display.show($0) })
    var report = Report(release.check)
    report.members = report.members + ["version": release.version, "files": release.files]
    if let version = release.version {
      let end = release.files.isEmpty ? "is released already" : "is released"
      report.lines.removeLast()
      report.lines += release.files.map { "wrote \($0)" } + ["\(version) \(end)"]
    }
    return report
  }

  /// `uplift bake`: makes the seed anew.
  func bake() throws(UpgradeError) -> Report {
    // The target of a program is raised after the bake.
    let upgrader = try upgrader(throughNewest: true)
    let display = ProgressDisplay(of: upgrader.seed?.name ?? "the seed", on: console)
    var options = arguments.bake
    options.released = arguments.released
    let bake = try upgrader.bake(
      options, isCancelled: Self.isCancelled, onEvent: { display.show($0) })
    let state = bake.isChanged ? "is now" : "is unchanged,"
    var lines = ["\(bake.path) \(state) at \(bake.version)"]
    if let path = bake.renamed {
      lines.insert("the script that reads the seed is now \(path)", at: 0)
    }
    if arguments.bake.output == nil, let target = program?.target, target < bake.version {
      lines.append("raise the target of the program from \(target) to \(bake.version)")
    }
    for name in bake.varying {
      console.notice(
        "uplift: \(name) gives other rows each time that it runs, so each bake differs".printable)
    }
    return Report(
      lines: lines,
      members: [
        "file": bake.path, "version": bake.version, "changed": bake.isChanged,
        "renamed": bake.renamed, "varying": bake.varying,
      ])
  }
}

extension Report {
  /// What a check has found, and what it could not try.
  fileprivate init(_ check: Check) {
    let count = check.findings.count
    findings = check.findings.flatMap(\.lines)
    lines = check.notTried.flatMap { ["not tried: \($0)", "  \($0.remedy)"] }
    lines.append(count == 0 ? "nothing found" : count == 1 ? "1 finding" : "\(count) findings")
    members = [
      "findings": check.findings.map(\.json), "notTried": check.notTried.map(\.json),
    ]
    exit = count == 0 ? .success : .resources
  }
}

extension Finding {
  /// In the form of an error.
  fileprivate var lines: [String] {
    let from = startingPoints.joined(separator: ", ")
    let words = "\(kind.rawValue): \(self)\(from.isEmpty ? "" : " (from \(from))")"
    let excerpt = place.excerpt.map { ["  " + $0.text.printable, "  " + $0.padding + "^"] }
    return [words] + (excerpt ?? []) + ["  \(remedy)"]
  }

  fileprivate var json: JSON {
    [
      "kind": kind.rawValue, "file": place.file, "line": place.line, "column": place.column,
      "message": words, "text": place.excerpt?.text, "caret": place.excerpt?.caret,
      "remedy": remedy, "startingPoints": startingPoints,
    ]
  }
}
