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
      let result = result(of: entry, listing.shown(entry))
      output.show(result, queue.note(result), of: listing.entries.count, target: plan.target)
    }
  }

  private func result(of entry: DatabaseDirectory.Entry, _ shown: String) -> EachResult {
    do throws(EntryError) {
      let database = try database(entry, shown)
      return arguments.verb == .status ? status(database) : up(database)
    } catch {
      return EachResult(database: shown, outcome: .failure(error.report))
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
    if let other = queue.otherName(of: facts, entry) {
      throw .name(.secondName(shown, other: other))
    }
    return FoundDatabase(
      shown: shown, path: path, facts: facts, mayHaveLeftovers: entry.mayHaveLeftovers)
  }
}

/// `uplift up`, for one database.
extension EachJob {
  private func up(_ database: FoundDatabase) -> EachResult {
    var report = UpReport(target: plan.target)
    report.begin(database.shown)
    var hasWaited = false
    do {
      let upgrade = try plan.upgrade(
        database,
        isCancelled: { StopSignals.first != nil }
      ) { event in
        switch event {
        case .started:
          if queue.takeFirstScript() { temporaryFiles.discardLeftovers() }
        case .waiting(let wait) where wait.duration >= .seconds(1) && !hasWaited:
          hasWaited = true
          output.noteWaiting(for: database.shown)
        default: break
        }
        _ = report.note(event)
      }
      _ = report.finish(upgrade)
    } catch {
      report.fail(
        ErrorReport(
          error, signal: StopSignals.first, of: plan.upgrader(of: database), arguments))
      return EachResult(database: database.shown, outcome: .upgrade(report), cause: error)
    }
    return EachResult(database: database.shown, outcome: .upgrade(report))
  }
}

/// `uplift status`, for one database.
extension EachJob {
  private func status(_ database: FoundDatabase) -> EachResult {
    do {
      let status = try plan.status(of: database) { StopSignals.first != nil }
      return EachResult(
        database: database.shown, outcome: .status(StatusReport(status, of: database.shown)),
        cause: status.refusal)
    } catch {
      let report = ErrorReport(error, signal: StopSignals.first)
      return EachResult(database: database.shown, outcome: .failure(report), cause: error)
    }
  }
}
