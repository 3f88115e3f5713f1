package import UpliftSQLite
package import UpliftSystem

/// The database that an upgrader names, for the commands that compare it with the scripts.
package struct ExistingDatabase {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let plan: Plan
  private let deadline: Deadline

  package init(of upgrader: Upgrader, isCancelled: @escaping () -> Bool) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    plan = try upgrader.plan(beside: file)
    deadline = Deadline(patience: upgrader.options.patience, isCancelled: isCancelled)
  }

  package var path: String { file.shown }
  package var target: Version { plan.target }
  /// The version of the seed; 0 if there is none.
  package var seedVersion: Version { plan.seed?.version ?? .zero }

  package enum Found<Facts> {
    case absent
    /// A database without tables, at version 0.
    case empty
    case database(Version, Facts)
  }

  /// Reads the version and other facts in one transaction; if the database changes meanwhile,
  /// `read` is called again.
  ///
  /// Throws the error with which an upgrade would refuse the database; `acceptsUnversioned` accepts
  /// one without a version.
  package func look<Facts>(
    acceptsUnversioned: Bool,
    _ read: @escaping (borrowing Connection) throws(SQLiteError) -> Facts
  ) throws(UpgradeError) -> Found<Facts> {
    guard let now = try file.facts(), now.size > 0 else {
      // SQLite would delete a journal when it opens the empty file beside it.
      try file.refuseOrphans()
      return try file.facts() == nil ? .absent : .empty
    }
    var facts: Facts?
    let look = Look(file: file, facts: now, deadline: deadline, prepare: upgrader.prepare) {
      connection throws(SQLiteError) in facts = try read(connection)
    }
    let state = try look.open().state.written(like: plan.target)
    guard let facts, !state.isEmpty else { return .empty }
    if acceptsUnversioned {
      try refuse(unversioned: state)
    } else {
      _ = try plan.decide(state, path: file.shown)
    }
    return .database(state.version, facts)
  }

  private func refuse(unversioned state: DatabaseState) throws(UpgradeError) {
    _ = try plan.target.isReached(by: state.version)
    try plan.checkOwner(ofUnversioned: state, path: file.shown)
  }

  /// Writes the version that `choose` returns, and the seed's `application_id`, which was lost, too.
  ///
  /// Nil, and nothing is written, if `choose` returns nil, or if the database now has a version or
  /// no tables.
  package func setVersion(
    _ choose: (borrowing Connection) throws(SQLiteError) -> Version?
  ) throws(UpgradeError) -> Version? {
    let database = try Look(file: file, deadline: deadline).open().forWriting()
    let found = database.state.version.written(like: plan.target)
    var transaction = try Transaction(upgrader, file, on: database.connection, at: found)
    let state = try transaction.begin()
    try refuse(unversioned: state)
    guard state.version == .zero, state.hasTables, let version = try transaction.at(choose)
    else { return nil }
    try transaction.at { connection throws(SQLiteError) in
      if let seed = plan.seed, seed.applicationID != 0, state.applicationID == 0 {
        try connection.run("PRAGMA application_id = \(seed.applicationID)")
      }
      try connection.run("PRAGMA user_version = \(version.number)")
    }
    if let error = try transaction.commit(version) { throw transaction.translated(error) }
    return version
  }
}

/// A copy of a database that a service may be using: its bytes, and the time that it took.
package struct LiveCopy {
  package let size: Int64
  package let duration: Duration
}

extension Upgrader {
  /// Copies the database as it is at one moment, and changes nothing in it.
  ///
  /// The copy is not synced. Only its owner can read it. After an error, a part of it may be there.
  package func copyDatabase(
    to copy: Path, isCancelled: @escaping () -> Bool, onEvent: @escaping (Event) -> Void
  ) throws(UpgradeError) -> LiveCopy {
    let deadline = Deadline(
      patience: options.patience, isCancelled: isCancelled,
      onWait: ProgressReport(onEvent).waiting)
    let file = try DatabaseFile(database)
    var attempt = 0
    while true {
      let start = ContinuousClock.now
      guard let before = try file.facts() else { throw .missingDatabase(file.shown) }
      var source = try Look(file: file, facts: before, deadline: deadline).open()
      // A program that opens and closes the database again and again leaves no log in between.
      if attempt > 0, System.isWritable(file.path.parent) { source = try source.forWriting() }
      System.discard(copy)
      try UpgradeError.at(copy) { () throws(SystemError) in
        try OpenFile.creating(copy).setMode(0o600)
      }
      try source.connection.copy(to: copy, shownAs: copy.shown, of: file.shown)
      // Without locks, another program may have written meanwhile.
      let isWhole = if source.isForWriting { true } else { try file.isUnchanged(since: before) }
      if isWhole {
        let size = try copy.facts(followingLinks: false)?.size
        return LiveCopy(size: size ?? 0, duration: ContinuousClock.now - start)
      }
      guard deadline.pause(attempt: attempt) else {
        throw deadline.mustStopNow ? .cancelled() : .busy(file.shown)
      }
      attempt += 1
    }
  }
}
