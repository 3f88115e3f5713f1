/// The facts of the errors of the machine, and of those about other processes.
extension UpgradeError {
  /// A disk that failed, is full or cannot do what Uplift needs.
  public struct Disk: Hashable, Sendable {
    /// The file that the error is about, or the directory of temporary files if its disk is the
    /// full one.
    public let path: String
    /// The words of the operating system, of SQLite or of Uplift.
    public let words: String
    /// The failure of the step that was running; nil if there was none.
    public let failure: Failure?
  }

  /// A database that another process held for too long.
  public struct Busy: Hashable, Sendable {
    /// The database, or the directory in which it is being made.
    public let path: String
    /// The version of the database; nil if it could not be read.
    public let reached: Version?
  }

  /// A file or directory that the operating system did not open or change.
  public struct Denial: Hashable, Sendable {
    /// The file or directory.
    public let path: String
    /// The words of the operating system or of SQLite.
    public let words: String
  }

  /// A database that must be written and is read-only.
  public struct ReadOnly: Hashable, Sendable {
    /// The database.
    public let path: String
  }

  /// A path that cannot be used.
  public struct WrongPath: Hashable, Sendable {
    /// The path.
    public let path: String
    /// The problem of the path.
    public let problem: PathProblem
  }

  /// An error of SQLite that is not about a script.
  public struct SQLiteFailure: Hashable, Sendable {
    /// The database.
    public let path: String
    /// The extended result code.
    public let code: Int32
    /// The message of SQLite.
    public let words: String
  }

  /// An upgrade that was asked to stop.
  public struct Cancelled: Hashable, Sendable {
    /// The version of the database; nil if the upgrade had not read it yet.
    public let reached: Version?
  }
}

/// The errors, made from their facts.
extension UpgradeError {
  package static func disk(path: String, words: String, failure: Failure?) -> UpgradeError {
    .disk(Disk(path: path, words: words, failure: failure))
  }

  package static func busy(path: String, reached: Version?) -> UpgradeError {
    .busy(Busy(path: path, reached: reached))
  }

  package static func denied(path: String, words: String) -> UpgradeError {
    .denied(Denial(path: path, words: words))
  }

  package static func unreadable(path: String, words: String) -> UpgradeError {
    .unreadable(Denial(path: path, words: words))
  }

  package static func tooManyFiles(path: String, words: String) -> UpgradeError {
    .tooManyFiles(Denial(path: path, words: words))
  }

  package static func readOnly(path: String) -> UpgradeError {
    .readOnly(ReadOnly(path: path))
  }

  package static func path(_ path: String, _ problem: PathProblem) -> UpgradeError {
    .path(WrongPath(path: path, problem: problem))
  }

  package static func sqlite(path: String, code: Int32, words: String) -> UpgradeError {
    .sqlite(SQLiteFailure(path: path, code: code, words: words))
  }

  package static func cancelled(reached: Version?) -> UpgradeError {
    .cancelled(Cancelled(reached: reached))
  }
}
