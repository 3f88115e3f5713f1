package import UpliftSQLite
internal import UpliftSystem

/// The database that an upgrader names, for the commands that compare it with the scripts.
///
/// If there is no database, `look` says so.
package struct ExistingDatabase {
  private let file: DatabaseFile
  private let plan: Plan
  private let options: Upgrader.Options
  private let prepare: Upgrader.Prepare?
  private let deadline: Deadline

  package init(
    of upgrader: Upgrader, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    file = try DatabaseFile(upgrader.database)
    plan = try upgrader.plan(beside: file)
    options = upgrader.options
    prepare = upgrader.prepare
    deadline = Deadline(patience: upgrader.options.patience, isCancelled: isCancelled)
  }

  package var path: String { file.shown }
  package var target: Version { plan.target }
  /// The version of the seed; 0 if there is none.
  package var seedVersion: Version { plan.seed?.version ?? .zero }

  /// What was found at the path.
  package enum Found<Facts> {
    case absent
    /// A database without tables, at version 0.
    case empty
    case database(Version, Facts)
  }

  /// Reads the version and other facts in one transaction; nothing is changed.
  ///
  /// Throws the error with which an upgrade would refuse the database. With `acceptsUnversioned`, a
  /// database without a version is accepted.
  ///
  /// If the database changes meanwhile, `read` is called again.
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
    let database = try OpenDatabase.open(file, now, prepare: prepare, deadline: deadline) {
      connection throws(SQLiteError) in facts = try read(connection)
    }
    let state = database.state.written(like: plan.target)
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

  /// Writes the version that `choose` returns into a database without a version, in one
  /// transaction.
  ///
  /// The `application_id` was lost together with the version, so it is set to that of the seed,
  /// too. Returns nil if `choose` does, or if the database now has a version or no tables; nothing
  /// is written then.
  package func setVersion(
    _ choose: (borrowing Connection) throws(SQLiteError) -> Version?
  ) throws(UpgradeError) -> Version? {
    let database = try OpenDatabase.open(file, nil, deadline: deadline).forWriting()
    let found = database.state.version
    var transaction = try Transaction(
      on: database.takeConnection(), at: found.written(like: plan.target),
      Transaction.Setting(
        file: file, target: plan.target, doubleQuotedStrings: options.doubleQuotedStrings,
        syncs: true, prepare: prepare, deadline: deadline))
    let state = try transaction.begin()
    let version: Version
    do throws(UpgradeError) {
      try refuse(unversioned: state)
      guard state.version == .zero, state.hasTables,
        let chosen = try chosen(choose, in: transaction)
      else {
        transaction.rollback()
        return nil
      }
      version = chosen
      try write(version, over: state, in: transaction)
    } catch {
      transaction.rollback()
      throw error
    }
    if let error = try transaction.commit(version) { throw transaction.translated(error) }
    return version
  }

  private func chosen(
    _ choose: (borrowing Connection) throws(SQLiteError) -> Version?,
    in transaction: borrowing Transaction
  ) throws(UpgradeError) -> Version? {
    do {
      return try choose(transaction.connection)
    } catch {
      throw transaction.translated(error)
    }
  }

  private func write(
    _ version: Version, over state: DatabaseState, in transaction: borrowing Transaction
  ) throws(UpgradeError) {
    do {
      if let seed = plan.seed, seed.applicationID != 0, state.applicationID == 0 {
        try transaction.connection.run("PRAGMA application_id = \(seed.applicationID)")
      }
      try transaction.connection.run("PRAGMA user_version = \(version.number)")
    } catch {
      throw transaction.translated(error)
    }
  }
}
