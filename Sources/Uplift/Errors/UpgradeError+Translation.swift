package import UpliftSQLite
package import UpliftSystem

extension UpgradeError {
  /// Translates an error of the operating system.
  package init(_ error: SystemError, at path: Path) {
    let shown = path.shown
    if error.isNotADirectory {
      let isThere = (try? System.facts(of: path, followingLinks: true)) != nil
      self = .path(shown, isThere ? .notADirectory : .parentNotADirectory(path.parent.shown))
    } else if error.isDenied {
      self = .denied(path: shown, words: error.words)
    } else if error.isTooManyFiles {
      self = .tooManyFiles(path: shown, words: error.words)
    } else if error.isLinkLoop {
      self = .path(shown, .linkLoop)
    } else if error.isNameTooLong {
      self = .path(shown, .nameTooLong)
    } else if error.isDirectory {
      self = .path(shown, .isDirectory)
    } else if error.isNotThere, let target = Self.target(of: path) {
      self = .path(shown, .danglingLink(target: target))
    } else {
      self = .disk(path: shown, words: error.words, failure: nil)
    }
  }

  /// Translates an error about a file or directory that is only read.
  ///
  /// `missing` is the error if there is no such file.
  init(_ error: SystemError, reading path: Path, missing: @autoclosure () -> UpgradeError) {
    if error.isDenied {
      self = .unreadable(path: path.shown, words: error.words)
    } else if error.isNotThere, Self.target(of: path) == nil {
      self = missing()
    } else {
      self.init(error, at: path)
    }
  }

  /// The target of a link; nil if the path is not a link.
  private static func target(of path: Path) -> String? {
    let target = System.target(ofLink: path)
    return target.bytes.isEmpty ? nil : target.shown
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

  /// Translates SQLite's error about a disk, and finds out which disk was full.
  ///
  /// Sorting and rebuilding need temporary space, which may be on another disk than the database.
  /// SQLite does not say which disk was full, and has freed its temporary files by now. So the disk
  /// with less free space is taken for the full one. `failure` makes the failure of the script. It
  /// gets the directory of temporary files if their disk was the full one, and nil otherwise.
  static func disk(
    _ error: SQLiteError, at path: String, failure: (String?) -> Failure? = { _ in nil }
  ) -> UpgradeError {
    let temporary = System.temporaryDirectory
    let isElsewhere =
      error.code.primary == .full
      && System.freeBytes(at: temporary) ?? .max
        < System.freeBytes(at: Path(path).parent) ?? 0
    return .disk(
      path: isElsewhere ? temporary.shown : path, words: error.message,
      failure: failure(isElsewhere ? temporary.shown : nil))
  }

  /// Translates SQLite's error if it could not open a file for a statement of a script.
  ///
  /// SQLite does not say which file. If the database's directory can be written, and no file can be
  /// made in the directory of temporary files, it was a temporary file. SQLite takes the first
  /// directory that it has the right to write: for root that may be `/proc`. `failure` makes the
  /// failure of the script from these words.
  static func cannotOpen(
    _ error: SQLiteError, at path: String, reached: Version, failure: (String) -> Failure
  ) -> UpgradeError {
    let translated = UpgradeError(error, at: path, reached: reached)
    guard case .denied = translated, System.isWritable(Path(path).parent) else { return translated }
    let directory = System.temporaryDirectory
    do {
      try System.tryTemporaryFile(in: directory)
      return translated
    } catch {
      let words = "\(Failure.noTemporaryFile) \"\(directory.shown)\": \(error.words)"
      return .disk(path: directory.shown, words: words, failure: failure(words))
    }
  }

  /// Translates an error of SQLite that no script caused.
  package init(_ error: SQLiteError, at path: String, reached: Version?) {
    switch error.code.primary {
    case .busy, .locked, .locking: self = .busy(path: path, reached: reached)
    case .interrupted: self = .cancelled(reached: reached)
    case .notADatabase: self = .damaged(path: path, .notADatabase(kind: nil))
    case .corrupt: self = .damaged(path: path, .malformed(words: error.message))
    case .readOnly where error.code == .databaseMoved:
      self = .moved(path: path, reached: reached ?? .zero)
    case .readOnly: self = .readOnly(path: path)
    case .cannotOpen where SystemError(code: error.systemCode).isDiskFailure:
      self = .disk(error, at: path)
    case .cannotOpen where SystemError(code: error.systemCode).isTooManyFiles:
      self = .tooManyFiles(path: path, words: SystemError(code: error.systemCode).words)
    case .cannotOpen where SystemError(code: error.systemCode).isDirectory,
      .inputOutput where SystemError(code: error.systemCode).isDirectory:
      self = .path(path, .directoryForJournal)
    // The journal cannot be removed from a directory that may not be written.
    case .inputOutput where SystemError(code: error.systemCode).isDenied:
      self = .denied(path: path, words: SystemError(code: error.systemCode).words)
    // SQLite reports only that the file is not there: it has tried to open it for reading last.
    case .cannotOpen where System.hasNoFreeInode(at: Path(path).parent):
      let words = "no file can be made, because the file system has no free inode"
      self = .disk(path: path, words: words, failure: nil)
    case .permission, .cannotOpen: self = .denied(path: path, words: error.message)
    case .full, .inputOutput: self = .disk(error, at: path)
    case .error where error.message == "unsupported file format":
      self = .damaged(path: path, .malformed(words: error.message))
    default: self = .sqlite(path: path, code: error.code.rawValue, words: error.message)
    }
  }
}
