internal import Synchronization
internal import UpliftSystem

/// Keeps a script without a transaction apart from the other boots of the same directory.
///
/// No lock of SQLite can do this, because the script may run `VACUUM`, which needs all of them.
/// Without this lock a slower boot could go on with the script after a faster one has finished it
/// and the scripts after it. It could then undo the changes of those later scripts.
///
/// The lock is the data directory's, as for seeding. The system releases it if the process ends. If
/// the file system has no such locks, or the directory cannot be read, nothing is locked.
struct ScriptLock: ~Copyable {
  private let directory: OpenFile?
  /// The boots of this process that share the lock; nil for a boot that has it alone.
  private let shared: SharedScriptLock?
  /// False if another boot has the lock.
  let isOurs: Bool

  init(of file: DatabaseFile, _ shared: SharedScriptLock?) {
    self.shared = shared
    if let shared {
      directory = nil
      isOurs = shared.take(file.directory)
      return
    }
    do throws(SystemError) {
      let opened = try OpenFile.directory(file.directory)
      isOurs = Self.lock(opened)
      directory = consume opened
    } catch {
      isOurs = true
      directory = nil
    }
  }

  deinit {
    if isOurs { shared?.giveBack() }
  }

  fileprivate static func lock(_ directory: borrowing OpenFile) -> Bool {
    do {
      return try directory.lock()
    } catch {
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
  fileprivate func take(_ path: Path) -> Bool {
    state.withLock { state in
      if state.holders == 0 {
        do throws(SystemError) {
          let opened = try OpenFile.directory(path)
          guard ScriptLock.lock(opened) else { return false }
          state.directory = consume opened
        } catch {
          // Without the right to read the directory, nothing is locked.
        }
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
