internal import UpliftSQLite
internal import UpliftSystem

extension UpgradeError {
  /// What the operating system said, as what it means for an upgrade.
  init(_ error: SystemError, at path: String) {
    if error.isNotADirectory {
      self = .path(path, .parentNotADirectory(DatabasePath.parent(of: path)))
    } else if error.isDenied {
      self = .denied(path: path, words: error.words)
    } else {
      self = .disk(path: path, words: error.words, script: nil)
    }
  }

  /// Does something with a path, and says in an upgrade's words what went wrong.
  static func at<Result: ~Copyable>(
    _ path: String, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw UpgradeError(error, at: path)
    }
  }

  /// SQLite's word that the disk failed, with the place that did; `script` is told the directory
  /// of temporary files where it was that.
  ///
  /// Sorting and rebuilding take temporary space, which may be full where the database's own
  /// disk is not. SQLite has given back what it took by now: the disk with less room was it.
  static func disk(
    _ error: SQLiteError, at path: String, script: (String?) -> Failure? = { _ in nil }
  ) -> UpgradeError {
    let temporary = System.temporaryDirectory
    let isElsewhere =
      error.code.primary == .full
      && System.freeBytes(at: temporary) ?? .max
        < System.freeBytes(at: DatabasePath.parent(of: path)) ?? 0
    return .disk(
      path: isElsewhere ? temporary : path, words: error.message,
      script: script(isElsewhere ? temporary : nil))
  }

  /// What SQLite said outside any script.
  init(_ error: SQLiteError, at path: String, reached: Version?) {
    switch error.code.primary {
    case .busy, .locked, .locking: self = .busy(path: path, reached: reached)
    case .interrupted: self = .cancelled(reached: reached)
    case .notADatabase: self = .damaged(path: path, .notADatabase(kind: nil))
    case .corrupt: self = .damaged(path: path, .malformed(words: error.message))
    case .readOnly: self = .readOnly(path: path)
    case .cannotOpen where SystemError(code: error.systemCode).isDiskFailure:
      self = .disk(error, at: path)
    case .permission, .cannotOpen: self = .denied(path: path, words: error.message)
    case .full, .inputOutput: self = .disk(error, at: path)
    default: self = .sqlite(path: path, code: error.code.rawValue, words: error.message)
    }
  }
}
