internal import Uplift
internal import UpliftSystem

/// Runs `up` or `status` for one database of `--each`.
struct EachDatabase: Sendable {
  let arguments: Arguments
  /// The seed and the scripts of all databases.
  let upgrader: Upgrader
  let temporaryFiles: TemporaryFiles

  func result(of path: Path) -> EachResult {
    arguments.verb == .up ? up(path) : status(path)
  }

  private func up(_ path: Path) -> EachResult {
    var report = UpReport(target: upgrader.target)
    report.begin(path.shown)
    do throws(ErrorReport) {
      let upgrader = upgrader.of(try database(path))
      do {
        let upgrade = try upgrader.upgrade(isCancelled: { StopSignals.first != nil }) { event in
          if case .started(let script) = event, script.index == 1 {
            temporaryFiles.discardLeftovers()
          }
          _ = report.note(event)
        }
        _ = report.finish(upgrade)
      } catch {
        throw ErrorReport(error, signal: StopSignals.first, of: upgrader, arguments)
      }
    } catch {
      report.fail(error)
    }
    return EachResult(report, of: path.shown)
  }

  private func status(_ path: Path) -> EachResult {
    do throws(ErrorReport) {
      let upgrader = upgrader.of(try database(path))
      do {
        let status = try upgrader.status(isCancelled: { StopSignals.first != nil })
        return EachResult(StatusReport(status, of: path.shown))
      } catch {
        throw ErrorReport(error, signal: StopSignals.first)
      }
    } catch {
      return EachResult(
        end: .failed, of: path.shown, error: error,
        json: JSON(error, path.shown, nil, nil, target: upgrader.target))
    }
  }

  /// Looks at a name without opening the file.
  ///
  /// A database that is gone meanwhile must not be made anew. Two names of one database would each
  /// get a journal, so a link is not followed.
  private func database(_ path: Path) throws(ErrorReport) -> String {
    guard let database = String(validating: path.bytes, as: UTF8.self) else {
      throw ErrorReport(
        each: "\"\(path.shown)\" is not UTF-8", remedy: "give it another name", .usage)
    }
    let facts: FileFacts?
    do {
      facts = try System.facts(of: path, followingLinks: false)
    } catch {
      throw ErrorReport(UpgradeError(error, at: path), signal: nil)
    }
    guard let facts else {
      throw ErrorReport(.missingDatabase(database), signal: nil)
    }
    guard facts.kind != .link else {
      throw ErrorReport(
        each: "\"\(database)\" is a link to \"\(System.target(ofLink: path).shown)\", "
          + "not a database",
        remedy: "links are not followed: upgrade the database itself, with --each or --database",
        .unusable)
    }
    return database
  }
}

/// The result of one database of `--each`.
struct EachResult: Sendable {
  enum End: Sendable {
    /// It was at the target before.
    case current
    /// It is at the target now.
    case changed
    /// `status`: scripts are pending.
    case pending
    case failed
    /// It was cancelled by a signal.
    case stopped
  }

  let end: End
  /// The lines for people on standard output.
  let lines: [String]
  /// The error with the database in front; nil if there is none.
  let error: ErrorReport?
  /// The object that the verb prints for a single database.
  let json: JSON

  init(
    end: End, of database: String, lines: [String] = [], error: ErrorReport?, json: JSON
  ) {
    self.end = error?.kind == "cancelled" ? .stopped : error == nil ? end : .failed
    self.lines = lines
    self.error = error?.about(database)
    self.json = json
  }

  init(_ report: UpReport, of database: String) {
    let skipped = report.skipped.map { "skipped \($0.name):\($0.line): \($0.words)" }
    self.init(
      end: report.hasChanged ? .changed : .current, of: database,
      lines: report.hasChanged ? (skipped + [report.change]).map { "\(database): \($0)" } : [],
      error: report.error, json: JSON(report))
  }

  init(_ report: StatusReport) {
    let count = report.status.pending.count
    self.init(
      end: report.status.isCurrent ? .current : .pending, of: report.database,
      lines: ["\(report.database): \(report.version)" + (count > 0 ? ", \(count) pending" : "")],
      error: report.error, json: JSON(report, verifies: false))
  }

  /// The place in a script that failed, as in `4_a.sql:2:1`; nil unless a script failed.
  var place: String? {
    guard let error, error.exit == .scriptFailed, let location = error.location else { return nil }
    return [location.line, location.column].reduce(location.file) { place, number in
      number.map { "\(place):\($0)" } ?? place
    }
  }
}

extension ErrorReport {
  /// An error in the directory of `--each`, or in one of its names.
  init(each message: String, remedy: String, _ exit: ExitCode) {
    self.init(
      kind: "each", message: message, remedy: remedy, exit: exit)
  }

  /// The same error with the database in front of its message, unless the message begins with it.
  fileprivate func about(_ database: String) -> ErrorReport {
    guard !message.hasPrefix("\"\(database)") else { return self }
    return ErrorReport(
      kind: kind, message: "\(database): \(message)", remedy: remedy, exit: exit,
      location: location, reached: reached)
  }
}
