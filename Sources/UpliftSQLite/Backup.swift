internal import CUpliftSQLite

extension Connection {
  /// Makes another database a copy of this one, page by page, under SQLite's own locks.
  ///
  /// It returns false if `onLocked` or `isUnchanged` does, and if this database has no pages:
  /// SQLite would empty the other one at once. If it returns false or throws, nothing is copied.
  ///
  /// `onLocked` is called when `other` holds the lock to write, and before anything is written. It
  /// is told whether the destination is as `other` last read it. In rollback mode, nobody else can
  /// read the destination from then on. `isUnchanged` tells whether the source is still the same;
  /// it is asked before the last page is copied, because that step also commits. `onPages` is told
  /// how many pages are copied, and stops the copying if it returns false.
  package borrowing func copyAll(
    into other: borrowing Connection, onLocked: (_ isAsRead: Bool) -> Bool = { _ in true },
    isUnchanged: () -> Bool = { true }
  ) throws(SQLiteError) -> Bool {
    let versionRead = other.dataVersion
    // From now on this database has the same number of pages.
    let begins = !isInTransaction
    if begins { try run("BEGIN") }
    defer { if begins { try? run("COMMIT") } }
    guard try integer("PRAGMA page_count") > 0 else { return false }
    guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw SQLiteError(sqlite3_extended_errcode(other.handle), of: other.handle)
    }
    // A step of no pages takes the write lock on the destination, and keeps it for the other steps.
    var code = step(backup, 0)
    guard code != SQLITE_OK || !other.hasMoved else {
      sqlite3_backup_finish(backup)
      throw .moved
    }
    guard code != SQLITE_OK || onLocked(other.dataVersion == versionRead) else {
      sqlite3_backup_finish(backup)
      return false
    }
    // In parts, so that the upgrade can be cancelled in between.
    while code == SQLITE_OK, !deadline.mustStopNow {
      let left = sqlite3_backup_remaining(backup)
      guard left > 1 || isUnchanged() else {
        sqlite3_backup_finish(backup)
        return false
      }
      code = step(backup, left > 1 ? min(left - 1, 1024) : 1)
    }
    let isStopped = code == SQLITE_OK
    let finished = sqlite3_backup_finish(backup)
    guard !isStopped else { throw SQLiteError(SQLITE_INTERRUPT, of: nil) }
    guard code == SQLITE_DONE, finished == SQLITE_OK else {
      throw SQLiteError(finished == SQLITE_OK ? code : finished, of: other.handle)
    }
    return true
  }

  /// Copies some pages.
  ///
  /// It waits while another connection holds a lock.
  private borrowing func step(_ backup: OpaquePointer, _ pages: Int32) -> Int32 {
    var attempt = 0
    while true {
      let code = sqlite3_backup_step(backup, pages)
      guard [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xff), deadline.pause(attempt: attempt)
      else { return code }
      attempt += 1
    }
  }

  /// A number that differs after a commit of this connection or another one.
  ///
  /// It is up to date only while this connection holds a lock
  /// (sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, SQLITE_FCNTL_DATA_VERSION).
  package var dataVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }
}
