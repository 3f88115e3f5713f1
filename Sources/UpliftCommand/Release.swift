internal import Uplift
internal import UpliftRelease

extension Run {
  /// `uplift check`: tries everything before a release.
  func check() throws(ErrorReport) -> Report {
    let upgrader = try upgrader()
    let display = ProgressDisplay(of: "the copy", on: console)
    do {
      let check = try upgrader.check(
        released: arguments.released, fixtures: arguments.fixtures,
        isCancelled: Self.isCancelled, onEvent: { display.show($0) })
      return Report(check)
    } catch {
      throw ErrorReport(error)
    }
  }

  /// `uplift release`: checks, and records the release if there is no finding.
  func release() throws(ErrorReport) -> Report {
    let upgrader = try upgrader()
    let display = ProgressDisplay(of: "the copy", on: console)
    do {
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
    } catch {
      throw ErrorReport(error)
    }
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
    let excerpt = place.excerpt.map { excerpt in
      let shown = TerminalExcerpt(of: excerpt.text, at: excerpt.caret)
      return [shown.text, shown.padding + "^"]
    }
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

extension Run {
  /// `uplift bake`: makes the seed anew.
  func bake() throws(ErrorReport) -> Report {
    // The target of a program is raised after the bake.
    let upgrader = try upgrader(throughNewest: true)
    let display = ProgressDisplay(of: upgrader.seed?.name ?? "the seed", on: console)
    let bake: Bake
    do {
      bake = try upgrader.bake(
        arguments.bake, isCancelled: Self.isCancelled, onEvent: { display.show($0) })
    } catch {
      throw ErrorReport(error)
    }
    let state = bake.isChanged ? "is now" : "is unchanged,"
    var report = Report()
    if let path = bake.renamed { report.lines = ["the script that reads the seed is now \(path)"] }
    report.lines.append("\(bake.path) \(state) at \(bake.version)")
    if arguments.bake.output == nil, let target = program?.target, target < bake.version {
      report.lines.append("raise the target of the program from \(target) to \(bake.version)")
    }
    report.members = [
      "file": bake.path, "version": bake.version, "changed": bake.isChanged,
      "renamed": bake.renamed, "varying": bake.varying,
    ]
    report.notices = bake.varying.map {
      "\($0) gives other rows each time that it runs, so each bake differs"
    }
    if bake.mayNeedNumber {
      report.notices.append(
        "a script reads \(bake.path): if the rows of the seed have changed, "
          + "run uplift bake --content")
    }
    return report
  }
}
