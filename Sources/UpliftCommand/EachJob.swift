internal import Uplift
internal import UpliftSystem

/// Takes one database of `--each` after the other, until there is none left to begin.
///
/// Several jobs run at the same time, each on a thread of its own.
struct EachJob: Sendable {
  let arguments: Arguments
  let listing: DatabaseDirectory
  let plan: SharedPlan
  let temporaryFiles: TemporaryFiles
  let queue: EachQueue
  let output: EachOutput

  func run() {
    while let index = queue.next() {
      let entry = listing.entries[index]
      let shown = listing.shown(entry)
      var result = result(of: entry, shown)
      result.error = result.error?.about(shown)
      output.show(result, queue.note(result), of: listing.entries.count)
    }
  }

  private func result(of entry: DatabaseDirectory.Entry, _ shown: String) -> EachResult {
    do throws(EntryError) {
      let database = try database(entry, shown)
      return arguments.command == .status ? status(database) : up(database)
    } catch {
      var result = EachResult(kind: .failed, error: error.report)
      if arguments.isJSON { result.json = json(of: error.report, shown) }
      return result
    }
  }

  /// A reason not to open a file.
  private enum EntryError: Error {
    case name(DatabaseDirectoryError)
    case file(UpgradeError)

    var report: ErrorReport {
      switch self {
      case .name(let error): ErrorReport(error)
      case .file(let error): ErrorReport(error, signal: nil)
      }
    }
  }

  /// Looks at the file without opening it.
  private func database(
    _ entry: DatabaseDirectory.Entry, _ shown: String
  ) throws(EntryError) -> FoundDatabase {
    let path = listing.path(of: entry)
    let facts: FileFacts?
    do {
      facts = try System.facts(of: path, followingLinks: false)
    } catch {
      throw .file(UpgradeError(error, at: Path(shown)))
    }
    guard let facts else { throw .file(.missing(.database, path: shown)) }
    if entry.kind == .journal { throw .file(.orphaned(journal: shown)) }
    switch facts.kind {
    case .file: break
    case .link: throw .name(.link(shown, target: System.target(ofLink: path).shown))
    case .directory: throw .name(.directory(shown))
    case .other: throw .name(.notAFile(shown))
    }
    if let first = queue.otherName(of: facts, shown) {
      throw .name(.secondName(shown, first: first))
    }
    return FoundDatabase(
      shown: shown, path: path, facts: facts, mayHaveLeftovers: entry.mayHaveLeftovers)
  }

  private func json(of error: ErrorReport, _ shown: String) -> JSON {
    guard arguments.command == .up else {
      return JSON(error, shown, nil, nil, target: plan.target)
    }
    var report = UpReport(target: plan.target)
    report.begin(shown)
    report.fail(error)
    return JSON(report)
  }
}

/// `uplift up`, for one database.
extension EachJob {
  private func up(_ database: FoundDatabase) -> EachResult {
    var report = UpReport(target: plan.target)
    report.begin(database.shown)
    var skipped: [String] = []
    var hasWaited = false
    var result: EachResult
    do {
      let upgrade = try plan.upgrade(
        database,
        isCancelled: {
          output.extendTimeout()
          return StopSignals.first != nil
        }
      ) { event in
        output.note(event)
        switch event {
        case .started:
          if queue.isFirstScript() { temporaryFiles.discardLeftovers() }
        case .skipped(let statement):
          skipped.append("skipped \(statement.name):\(statement.line): \(statement.words)")
        case .waiting(let wait) where wait.duration >= .seconds(1) && !hasWaited:
          hasWaited = true
          output.noteWaiting(for: database.shown)
        default: break
        }
        _ = report.note(event)
      }
      _ = report.finish(upgrade)
      result = EachResult(kind: report.hasChanged ? .changed : .current)
    } catch {
      let words = ErrorReport(
        error, signal: StopSignals.first, of: plan.upgrader(of: database), arguments)
      report.fail(words)
      result = EachResult(error, words)
    }
    if arguments.isJSON {
      result.json = JSON(report)
    } else if report.hasChanged {
      result.lines = (skipped + [report.change]).map { "\(database.shown): \($0)" }
    }
    return result
  }
}

/// `uplift status`, for one database.
extension EachJob {
  private func status(_ database: FoundDatabase) -> EachResult {
    let status: Status
    do {
      status = try plan.status(of: database) { StopSignals.first != nil }
    } catch {
      let words = ErrorReport(error, signal: StopSignals.first)
      var result = EachResult(error, words)
      if arguments.isJSON { result.json = json(of: words, database.shown) }
      return result
    }
    let report = StatusReport(status, of: database.shown)
    var result = EachResult(kind: status.isCurrent ? .current : .pending)
    if let error = status.refusal { result = EachResult(error, ErrorReport(error, signal: nil)) }
    if arguments.isJSON {
      result.json = JSON(report, verifies: false)
    } else {
      let pending = status.pending.isEmpty ? "" : ", \(status.pending.count) pending"
      result.lines = ["\(database.shown): \(report.version)\(pending)"]
    }
    return result
  }
}

extension ErrorReport {
  /// The same with a database in front, unless the words begin with it.
  func about(_ database: String) -> ErrorReport {
    guard !message.hasPrefix("\"\(database)") else { return self }
    return ErrorReport(
      kind: kind, message: "\(database): \(message)", remedy: remedy, exit: exit,
      location: location, reached: reached)
  }
}
