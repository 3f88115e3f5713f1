internal import Synchronization
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
  /// The boots of this process that share the lock; nil for a boot that has it alone.
  private let shared: SharedScriptLock?
  /// False if another boot has the lock.
  let isOurs: Bool

  init(of file: DatabaseFile, _ shared: SharedScriptLock?) throws(UpgradeError) {
    let path = file.directory
    do throws(SystemError) {
      if let shared {
        isOurs = try shared.take(path)
        directory = nil
      } else {
        let opened = try OpenFile.directory(path)
        isOurs = try Self.lock(opened)
        directory = consume opened
      }
    } catch {
      throw UpgradeError(error, reading: path, missing: UpgradeError(error, at: path))
    }
    self.shared = shared
  }

  deinit {
    if isOurs { shared?.giveBack() }
  }

  fileprivate static func lock(_ directory: borrowing OpenFile) throws(SystemError) -> Bool {
    do {
      return try directory.lock()
    } catch  where error.isUnsupported {
      return true
    }
  }
}

/// The script lock of several boots in one process, each of which has a database of its own.
///
/// One of them must not wait for the script of another. The first takes the lock of the directory,
/// and the last gives it back.
final class SharedScriptLock: Sendable {
  private struct State: ~Copyable {
    var holders = 0
    var directory: OpenFile?
  }

  private let state = Mutex(State())

  /// Takes the lock, or joins those that have it; false if another process has it.
  fileprivate func take(_ path: Path) throws(SystemError) -> Bool {
    try state.withLock { state throws(SystemError) in
      if state.holders == 0 {
        let opened = try OpenFile.directory(path)
        guard try ScriptLock.lock(opened) else { return false }
        state.directory = consume opened
      }
      state.holders += 1
      return true
    }
  }

  fileprivate func giveBack() {
    state.withLock { state in
      state.holders -= 1
      if state.holders == 0 { state.directory = nil }
    }
  }
}
