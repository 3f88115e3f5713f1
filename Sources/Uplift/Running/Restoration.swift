internal import UpliftSQLite
internal import UpliftSystem

/// Puts the content of a backup into the database, or makes the database if it is not there.
struct Restoration {
  private let upgrader: Upgrader
  private let file: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline
  private let isCancelled: () -> Bool

  init(
    _ upgrader: Upgrader, from directory: String, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    file = try DatabaseFile(upgrader.database)
    self.directory = try BackupDirectory(directory, of: file.path, upgrader)
    self.isCancelled = isCancelled
    deadline = Deadline(patience: upgrader.options.patience, isCancelled: isCancelled)
  }

  func run(to wanted: Version?) throws(UpgradeError) -> Restore {
    if let now = try file.facts()?.identity {
      if RunningSteps.databases.contains(now) { throw .path(file.shown, .nested) }
      // A seed that cannot be reached is another file.
      if let seed = try? upgrader.seedIdentity(), seed == now { throw .path(file.shown, .isSeed) }
    }
    let target = try target(for: wanted)
    var attempt = 0
    while true {
      if let restore = try restore(to: wanted, notAbove: target) { return restore }
      try pause(&attempt)
    }
  }

  /// Restores once; nil if another process has made or removed the database meanwhile.
  private func restore(
    to wanted: Version?, notAbove target: Version?
  ) throws(UpgradeError) -> Restore? {
    // If the database is missing, these names were made before another boot could make it.
    var secondNames = try directory.secondNames()
    let isThere = try content() != nil
    // The lock is taken before a backup is chosen, because an upgrade that runs now may make another
    // one. It is taken before the database is opened, because a script may need it to itself. An
    // empty database may be a new one, whose first script runs now.
    let lock = try file.facts() == nil ? nil : try lockScripts()
    defer { withExtendedLifetime(lock) {} }
    // Until the lock was ours, a script may have run and left others.
    if isThere { secondNames = try directory.secondNames() }
    let backup = try UsableBackup(wanted, target: target, in: directory)
    try backup.check(prepare: upgrader.prepare, deadline)
    // The check may take long.
    let state = try content()
    guard isThere == (state != nil) else { return nil }
    var replaced: Path?
    if let state {
      if state.version == .zero, state.applicationID == 0, backup.header.applicationID != 0 {
        throw .unversioned(path: file.shown, seed: backup.header.version)
      }
      try backup.refuseForeign(state.applicationID)
      replaced = try ContentReplacement(file: file, directory: directory, deadline: deadline)
        .replace(by: backup)
      guard replaced != nil else { return nil }
    } else {
      guard try make(from: backup) else { return nil }
    }
    directory.free(secondNames, from: backup.version)
    return Restore(
      version: backup.version, backup: backup.path.shown, replaced: replaced?.shown)
  }

  /// The state of the database; nil if there is none, or an empty one.
  private func content() throws(UpgradeError) -> DatabaseState? {
    try Inspection(upgrader, deadline).state().flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The backup that a restore without a version would take; its pages are not checked.
  func newestBackup(notAbove target: Version) throws(UpgradeError) -> Path {
    let backup = try UsableBackup(nil, target: target, in: directory)
    if let state = try Inspection(upgrader, deadline).state() {
      try backup.refuseForeign(state.applicationID)
    }
    return backup.path
  }

  /// The target; nil if nothing ships, or if `wanted` is not nil and the scripts or the seed cannot
  /// be read.
  ///
  /// If they cannot be read, only a version that somebody names is put back: the newest backup may
  /// be too new for the program.
  private func target(for wanted: Version?) throws(UpgradeError) -> Version? {
    if wanted != nil { return upgrader.knownTarget() }
    if let target = upgrader.target { return target }
    guard upgrader.seed != nil || !upgrader.migrations.sources.isEmpty else { return nil }
    return try upgrader.plan().target
  }

  /// Makes the missing database, or fills an empty one, with the backup as the seed; false if
  /// another process was faster.
  ///
  /// A new file has the mode of the backup, because other users may not be allowed to read the
  /// database.
  private func make(from backup: UsableBackup) throws(UpgradeError) -> Bool {
    if let id = knownApplicationID(), id != 0 { try backup.refuseForeign(id) }
    var options = upgrader.options
    options.ifMissing = .seed
    // The upgrade that makes the database would give all backups a second name.
    options.backup = nil
    try LostDatabase(directory).keepBackups(except: backup.version)
    let maker = Upgrader(
      database: upgrader.database, seed: .file(backup.path), target: backup.version,
      options: options, prepare: upgrader.prepare)
    let opened = try backup.opened()
    let hasEmptyFile = try file.facts() != nil
    var isMade = false
    do {
      let boot = try Boot(maker, backup: backup.facts, isCancelled: isCancelled) { event in
        if case .seeded = event { isMade = true }
      }
      // If the backup is empty, too, an empty database stays as it is.
      if case .existing = try boot.run().start { return try content() == nil }
    } catch  where !isMade {
      // If a boot was faster, its database may be newer than the backup, for example, and the backup
      // may have got a second name.
      if case .disk = error { throw error }
      if deadline.mustStopNow { throw .cancelled(reached: nil) }
      if !backup.isUnchanged { return false }
      if try content() != nil { return false }
      throw error
    } catch {
      // The database is made. Another boot may have upgraded it since.
    }
    // SQLite has read the last page for an empty file after the last look at the backup.
    if hasEmptyFile, !backup.isWhole(opened) {
      throw .disk(path: file.shown, words: SQLiteError.mixed.message, failure: nil)
    }
    return true
  }

  /// The `application_id` of the seed that ships; nil if it cannot be read.
  private func knownApplicationID() -> Int32? {
    guard let seed = upgrader.seed else { return nil }
    return try? SeedFile.header(of: seed).applicationID
  }

  /// Waits for the lock that a script without a transaction holds.
  ///
  /// Such a script must not run half on the old content and half on the new one. It does not
  /// hold a lock of SQLite's all the time, so SQLite's locks are not enough.
  private func lockScripts() throws(UpgradeError) -> ScriptLock {
    var attempt = 0
    while true {
      let lock = try ScriptLock(of: file)
      if lock.isOurs { return lock }
      try pause(&attempt)
    }
  }

  /// Waits for another process; throws when the patience has ended.
  private func pause(_ attempt: inout Int) throws(UpgradeError) {
    guard deadline.pause(attempt: attempt) else {
      if deadline.mustStopNow { throw .cancelled(reached: nil) }
      throw .busy(path: file.shown, reached: nil)
    }
    attempt += 1
  }
}
