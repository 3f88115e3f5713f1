internal import UpliftSQLite
package import UpliftSystem

/// A copy of a database that a service may be using.
package struct LiveCopy {
  /// The bytes of the copy.
  package let size: Int64
  /// The time that the copying took.
  package let duration: Duration
}

extension Upgrader {
  /// Copies the database as it is at one moment, and changes nothing in it.
  ///
  /// The copy is not synced. Only its owner can read it. If this throws, a part of the copy may be
  /// there.
  package func copyDatabase(
    to copy: Path, isCancelled: @escaping () -> Bool, onEvent: @escaping (Event) -> Void
  ) throws(UpgradeError) -> LiveCopy {
    let progress = ProgressReport(onEvent)
    let deadline = Deadline(
      patience: options.patience, isCancelled: isCancelled, onWait: { progress.waiting($0) })
    return try LiveCopying(
      file: try DatabaseFile(database), copy: copy, deadline: deadline
    ).run()
  }
}

private struct LiveCopying {
  let file: DatabaseFile
  let copy: Path
  let deadline: Deadline

  func run() throws(UpgradeError) -> LiveCopy {
    var attempt = 0
    while true {
      let before = try file.facts()
      guard let before else { throw .missing(.database, path: file.shown) }
      let database = try open(before, isChanging: attempt > 0)
      try create()
      let result = try copy(database.connection)
      if database.isForWriting { return result }
      // Without locks, another program may have written meanwhile.
      if try file.isUnchanged(since: before) { return result }
      guard deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled(reached: nil) }
        throw .busy(path: file.shown, reached: nil)
      }
      attempt += 1
    }
  }

  /// Opens the database with a lock, if it has just been changed while it was read without one.
  ///
  /// A program that opens and closes it again and again leaves no log in between.
  private func open(
    _ facts: FileFacts, isChanging: Bool
  ) throws(UpgradeError) -> OpenDatabase {
    if isChanging {
      do throws(UpgradeError) {
        return try OpenDatabase.openForWriting(file, deadline: deadline)
      } catch {
        guard case .readOnly = error else { throw error }
      }
    }
    return try OpenDatabase.open(file, facts, deadline: deadline)
  }

  private func create() throws(UpgradeError) {
    System.discard(copy)
    try UpgradeError.at(copy) { () throws(SystemError) in
      let file = try OpenFile.creating(copy)
      try file.setMode(0o600)
    }
  }

  private func copy(_ source: borrowing Connection) throws(UpgradeError) -> LiveCopy {
    let start = ContinuousClock.now
    try source.copy(to: copy, shownAs: copy.shown, of: file.shown)
    do {
      let size = try source.integer("PRAGMA page_count") * source.integer("PRAGMA page_size")
      return LiveCopy(size: size, duration: ContinuousClock.now - start)
    } catch {
      throw UpgradeError(error, at: file.shown, reached: nil)
    }
  }
}
