internal import UpliftSQLite
internal import UpliftSystem

/// Why a step stopped: at which statement, and for which reason.
struct ScriptFault: Error {
  let script: Script
  /// Bytes into the script; nil if the script failed as a whole.
  let offset: Int?
  let cause: Cause
  /// The failed call, if the step is in Swift.
  var call: StepCall? = nil

  enum Cause {
    case sqlite(SQLiteError)
    case reason(UpgradeError.Reason)
    case cancelled
  }

  /// Runs work for a script, and turns a SQLite error into a fault of that script.
  static func at<Result>(
    _ script: Script, _ deadline: Deadline, _ work: () throws(SQLiteError) -> Result
  ) throws(ScriptFault) -> Result {
    do {
      return try work()
    } catch {
      // A wait for a lock ends with `.busy` if the upgrade is cancelled.
      let isCancelled =
        deadline.mustStopNow && [.interrupted, .busy].contains(error.code.primary)
      throw ScriptFault(script: script, offset: 0, cause: isCancelled ? .cancelled : .sqlite(error))
    }
  }

  /// The error of the upgrade, once it is known which version the database is at.
  func error(at path: String, reached: Version) -> UpgradeError {
    switch cause {
    case .cancelled: return .cancelled(reached: reached)
    case .reason(let reason): return failed(reason, reached)
    case .sqlite(let error):
      let words =
        error.code == .noTemporaryPath
        ? "no directory for temporary files can be written" : error.message
      let reason = UpgradeError.Reason.sqlite(
        code: error.code.rawValue, name: error.code.name, words: words)
      switch error.code.primary {
      case .corrupt where error.code == .corruptVirtualTable:
        return failed(reason, reached)
      case .busy, .locking, .corrupt, .notADatabase, .readOnly, .interrupted:
        return UpgradeError(error, at: path, reached: reached)
      case .cannotOpen where !SystemError(code: error.systemCode).isDiskFailure:
        return .cannotOpen(error, at: path, reached: reached) { words in
          failure(reason.saying(words), reached)
        }
      case .full, .inputOutput, .cannotOpen:
        return .disk(error, at: path) { failure(reason.naming($0), reached) }
      default:
        return failed(reason, reached)
      }
    }
  }

  private func failed(_ reason: UpgradeError.Reason, _ reached: Version) -> UpgradeError {
    .failed(failure(reason, reached))
  }

  private func failure(
    _ reason: UpgradeError.Reason, _ reached: Version
  ) -> UpgradeError.Failure {
    if script.code != nil {
      let call = call ?? StepCall(script.migration.location)
      return UpgradeError.Failure(
        script: script.migration.name, source: call.location.file, line: call.location.line,
        column: 1,
        text: call.statement, reason: reason, reached: reached)
    }
    guard let offset else {
      return UpgradeError.Failure(
        script: script.migration.path, reason: reason, reached: reached)
    }
    let location = script.bytes.location(of: offset)
    return UpgradeError.Failure(
      script: script.migration.path, line: location.line, column: location.column,
      excerpt: script.bytes.excerpt(at: offset), reason: reason, reached: reached,
      readsSeed: script.readsSeed)
  }
}

extension UpgradeError.Reason {
  /// Adds the directory of temporary files, because SQLite's message does not name the disk.
  fileprivate func naming(_ directory: String?) -> UpgradeError.Reason {
    guard let directory, case .sqlite(let message) = self else { return self }
    return saying("\(message.words), where temporary files are: \"\(directory)\"")
  }

  /// The same reason with other words than SQLite's.
  fileprivate func saying(_ words: String) -> UpgradeError.Reason {
    guard case .sqlite(let message) = self else { return self }
    return .sqlite(code: message.code, name: message.name, words: words)
  }
}

/// A call that a step in Swift makes: its location in the source, and its statement.
struct StepCall {
  let location: SourceLocation
  let statement: String

  init(_ location: SourceLocation, _ statement: String = "") {
    self.location = location
    self.statement = statement
  }
}
