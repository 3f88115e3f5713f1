internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

extension ReleaseError {
  init(_ error: SQLiteError, at path: String) {
    self = .upgrade(UpgradeError(error, at: path))
  }

  /// Does some work with a path, and translates the error.
  static func at<Result: ~Copyable>(
    _ path: Path, _ work: () throws(SystemError) -> Result
  ) throws(ReleaseError) -> Result {
    do {
      return try work()
    } catch {
      throw .upgrade(UpgradeError(error, at: path))
    }
  }
}

/// Does some work of the library, and translates the error.
func translatingUpgradeError<Result: ~Copyable>(
  _ work: () throws(UpgradeError) -> Result
) throws(ReleaseError) -> Result {
  do {
    return try work()
  } catch {
    throw .upgrade(error)
  }
}
