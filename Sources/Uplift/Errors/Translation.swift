package import UpliftSQLite
package import UpliftSystem

/// Errors of the operating system.
extension UpgradeError {
  package init(_ error: SystemError, at path: Path) {
    let shown = path.shown
    self =
      switch error {
      case _ where error.isNotADirectory:
        (try? System.facts(of: path, followingLinks: true)) != nil
          ? .notADirectory(shown) : .parentNotADirectory(shown, path.parent.shown)
      case _ where error.isDenied: .denied(shown, error.words)
      case _ where error.isTooManyFiles: .tooManyFiles(shown, error.words)
      case _ where error.isLinkLoop:
        UpgradeError(
          .missing, "\(shown.quoted) is a link that leads back to itself",
          fix: "make the link lead to a file")
      case _ where error.isNameTooLong: .nameTooLong(shown)
      case _ where error.isDirectory: .isDirectory(shown)
      case _ where error.isNotThere: Self.brokenLink(path) ?? .disk(shown, error.words)
      default: .disk(shown, error.words)
      }
  }

  /// Translates an error about a file or directory that is only read, and may be `missing`.
  package init(_ error: SystemError, reading path: Path, missing: @autoclosure () -> UpgradeError) {
    self =
      switch error {
      case _ where error.isDenied: .unreadable(path.shown, error.words)
      case _ where error.isNotThere: Self.brokenLink(path) ?? missing()
      default: UpgradeError(error, at: path)
      }
  }

  /// The error for a link to nothing; nil if the path is not a link.
  private static func brokenLink(_ path: Path) -> UpgradeError? {
    let target = System.target(ofLink: path)
    if target.bytes.isEmpty { return nil }
    return UpgradeError(
      .missing, "\(path.shown.quoted) links to \(target.shown.quoted), which is not there",
      fix: "mount or restore the file that it links to, or remove the link")
  }

  /// Does some work with a path, and translates the error.
  package static func at<Result: ~Copyable>(
    _ path: Path, _ work: () throws(SystemError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw UpgradeError(error, at: path)
    }
  }
}

/// Errors of SQLite.
extension UpgradeError {
  /// Translates an error that no script caused.
  package init(_ error: SQLiteError, at path: String, reached: Version? = nil) {
    let system = SystemError(code: error.systemCode)
    self =
      switch error.code.primary {
      case .busy, .locked, .locking: .busy(path, reached: reached)
      case .interrupted: .cancelled(reached: reached)
      case .notADatabase: .damaged(path, "is not a database")
      case .corrupt,
        .error where error.message == "unsupported file format":
        .damaged(path, "is damaged: \(error.message)")
      case .readOnly where error.code == .databaseMoved: .moved(path, openAt: reached ?? .zero)
      case .readOnly: .readOnly(path)
      case .cannotOpen where system.isTooManyFiles: .tooManyFiles(path, system.words)
      case .cannotOpen where system.isDirectory, .inputOutput where system.isDirectory:
        .path(
          path, "has a directory where SQLite puts its journal or its log",
          fix: "move away the directory whose name ends in -journal, -wal or -shm")
      // The journal cannot be removed from a directory that may not be written.
      case .inputOutput where system.isDenied: .denied(path, system.words)
      case .full, .inputOutput,
        .cannotOpen where system.isDiskFailure:
        .disk(path, error.message)
      // SQLite reports only that the file is not there: it has tried to open it for reading last.
      case .cannotOpen where System.hasNoFreeInode(at: Path(path).parent):
        .disk(path, "no file can be made, because the file system has no free inode")
      case .permission, .cannotOpen: .denied(path, error.message)
      default:
        UpgradeError(
          .sqlite, "\(path.quoted): \(error.message) (\(error.code.rawValue))",
          fix: "look the code up at sqlite.org/rescode.html")
      }
  }
}

extension Deadline {
  /// Does some work with a database, and translates the error.
  func at<Result: ~Copyable>(
    _ path: String, _ work: () throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    do {
      return try work()
    } catch {
      throw translated(error, at: path)
    }
  }

  /// What an error of SQLite means: if the upgrade was asked to stop, it is cancelled.
  func translated(_ error: SQLiteError, at path: String, reached: Version? = nil) -> UpgradeError {
    mustStopNow ? .cancelled(reached: reached) : UpgradeError(error, at: path, reached: reached)
  }
}
