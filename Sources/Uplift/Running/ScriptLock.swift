internal import UpliftSystem

/// Keeps a script without a transaction apart from the other boots of the same directory.
///
/// No lock of SQLite can do this, because the script may run `VACUUM`, which needs all of them.
/// Without this lock a slower boot could go on with the script after a faster one has finished it
/// and the scripts after it. It could then undo the changes of those later scripts.
///
/// The lock is the data directory's, as for seeding. The system releases it if the process ends. If
/// the file system has no such locks, nothing is locked.
struct ScriptLock: ~Copyable {
  private let directory: OpenFile?
  /// False if another boot has the lock.
  let isOurs: Bool

  init(of file: DatabaseFile) throws(UpgradeError) {
    let path = file.directory
    do throws(SystemError) {
      let opened = try OpenFile.directory(path)
      isOurs = try Self.lock(opened)
      directory = consume opened
    } catch {
      throw UpgradeError(error, reading: path, missing: UpgradeError(error, at: path))
    }
  }

  private static func lock(_ directory: borrowing OpenFile) throws(SystemError) -> Bool {
    do {
      return try directory.lock()
    } catch  where error.isUnsupported {
      return true
    }
  }
}
