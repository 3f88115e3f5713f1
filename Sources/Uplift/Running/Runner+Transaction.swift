internal import UpliftSQLite
internal import UpliftSystem

extension Runner {
  /// Takes the write lock: a deferred transaction that turns into a write would fail at once,
  /// whatever the patience.
  func begin() throws(UpgradeError) {
    var attempt = 0
    while true {
      do {
        return try connection.run("BEGIN IMMEDIATE")
      } catch {
        guard error.code.primary == .busy, deadline.pause(attempt: attempt) else {
          throw translated(error)
        }
        attempt += 1
      }
    }
  }

  /// The version, read under the write lock: the only reading that counts.
  func versionInside() throws(UpgradeError) -> Version {
    let number: Int64
    do {
      number = try connection.integer("PRAGMA user_version")
    } catch {
      try rollback()
      throw translated(error)
    }
    guard let version = Version(number) else {
      try rollback()
      throw .invalid(version: Int32(truncatingIfNeeded: number))
    }
    return version.written(like: plan.target)
  }

  /// Ends the transaction, if there is one; a rollback that fails is finished by the next open.
  func rollback() throws(UpgradeError) {
    guard connection.isInTransaction else { return }
    try? connection.run("ROLLBACK")
  }

  /// Makes scripts durable, and reports them.
  ///
  /// A reader may hold the database as the commit comes; the same commit is tried again. After
  /// any other error the commit may have come through or not: the version says which.
  ///
  /// A full-text index writes as the transaction commits, and may fail then. If several scripts
  /// share the transaction, all of them have to run again and commit one by one, so that those
  /// before the one at fault are kept, and it is named: then this returns false.
  @discardableResult
  mutating func commit(_ group: [Done]) throws(UpgradeError) -> Bool {
    guard let last = group.last else {
      try rollback()
      return true
    }
    if connection.hasMoved {
      try rollback()
      throw .moved(path: file.shown, reached: reached)
    }
    var attempt = 0
    while true {
      do {
        try connection.run("COMMIT")
        break
      } catch {
        if error.code.primary == .busy, deadline.pause(attempt: attempt) {
          attempt += 1
          continue
        }
        try rollback()
        try learnVersion()
        guard reached >= last.step.version else {
          guard [.error, .abort, .corrupt, .full].contains(error.code.primary),
            let script = scripts[last.step.version]
          else { throw translated(error) }
          if group.count > 1 {
            commitsEach = true
            return false
          }
          let fault = ScriptFault(script: script, offset: nil, cause: .sqlite(error))
          throw fault.error(at: file.shown, reached: reached)
        }
        if error.code.primary == .inputOutput { try confirm() }
        break
      }
    }
    keep(group)
    return true
  }

  /// Commits the version once more: what is there may not be on the disk yet, where a sync failed.
  ///
  /// "SQLITE_IOERR_DIR_FSYNC": the journal is gone, and would be back after a power cut.
  private mutating func confirm() throws(UpgradeError) {
    try begin()
    reached = try versionInside()
    do {
      try connection.run("PRAGMA user_version = \(reached.number)")
      try connection.run("COMMIT")
    } catch {
      try rollback()
      throw translated(error)
    }
  }

  /// Reads which version it is, on a fresh connection.
  ///
  /// Where that fails too, nobody can say whether the commit came through, and no version is named.
  private mutating func learnVersion() throws(UpgradeError) {
    let number: Int64
    do {
      try connect()
      number = try connection.integer("PRAGMA user_version")
    } catch {
      throw translated(error, reached: nil)
    }
    guard let version = Version(number) else {
      throw .invalid(version: Int32(truncatingIfNeeded: number))
    }
    reached = version.written(like: plan.target)
    try prepareConnection()
  }

  /// A fresh connection: nothing that a script left on the old one is there.
  mutating func reopen() throws(UpgradeError) {
    do {
      try connect()
    } catch {
      throw translated(error)
    }
    try prepareConnection()
  }

  private mutating func connect() throws(SQLiteError) {
    connection = try Connection(path: file.path.bytes, access: .readWrite, deadline: deadline)
  }

  /// Settings first, then the guard; a file that may not be written is refused now, for a
  /// `BEGIN IMMEDIATE` would still succeed.
  func prepareConnection() throws(UpgradeError) {
    guard !connection.isReadOnly else { throw .readOnly(path: file.shown) }
    do {
      try connection.pinSettings(doubleQuotedStrings: options.doubleQuotedStrings)
      try connection.replaceCounters()
    } catch {
      throw translated(error)
    }
    connection.installGuard()
  }

  func translated(_ error: SQLiteError) -> UpgradeError { translated(error, reached: reached) }

  /// A wait or a statement that was given up because the upgrade shall stop is not a failure.
  private func translated(_ error: SQLiteError, reached: Version?) -> UpgradeError {
    let isStopped = deadline.isAskedToStop && [.busy, .interrupted].contains(error.code.primary)
    return isStopped
      ? .cancelled(reached: reached) : UpgradeError(error, at: file.shown, reached: reached)
  }
}
