internal import UpliftSQLite
internal import UpliftSystem

extension Upgrader {
  /// Puts back a backup that ``Options/backup`` made.
  ///
  /// `directory` is that of the backups. Without a version, this takes the newest backup that is not
  /// above the target. The backup is checked first. Then what the database holds is saved in the
  /// directory, for example as `guestbook-1f3a9c02-0008-v5-replaced.db`, and the backup is written
  /// into the database. Nobody can write between the two. If anything fails before the commit, the
  /// database is as it was.
  ///
  /// The restore has the database to itself: stop the service first. Rows that were written after
  /// the backup are only in the file that was saved.
  @discardableResult
  public func restore(
    backup directory: String, to version: Version? = nil,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Restore {
    let choice: Restoring.Choice = if let version { .version(version) } else { .newest }
    return try Restoring(self, directory, isCancelled: isCancelled).run(choice)
  }

  /// Puts back the database in a file, for example what an earlier restore has replaced.
  ///
  /// `directory` is where the present content is saved.
  @discardableResult
  public func restore(
    backup directory: String, from file: String,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Restore {
    try Restoring(self, directory, isCancelled: isCancelled).run(.file(file))
  }

  /// The path of the backup that a restore would take; nil if there is none.
  package func newestBackup(in directory: String, target: Version) -> String? {
    do {
      return try Restoring(self, directory, isCancelled: { false })
        .choose(.newest, notAbove: target).path.shown
    } catch {
      return nil
    }
  }
}

/// Puts a backup into the database, or makes the database if it is not there.
struct Restoring {
  private let upgrader: Upgrader
  private let database: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline

  enum Choice {
    case newest
    case version(Version)
    case file(String)
  }

  init(
    _ upgrader: Upgrader, _ directory: String, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    self.upgrader = upgrader
    database = try DatabaseFile(upgrader.database)
    self.directory = try BackupDirectory(
      directory, of: database.path, upgrader, forWriting: database.factsAtFirst != nil)
    deadline = Deadline(patience: upgrader.options.patience, isCancelled: isCancelled)
  }

  func run(_ choice: Choice) throws(UpgradeError) -> Restore {
    if let now = database.factsAtFirst?.identity {
      // A seed that cannot be reached is another file.
      if let seed = try? upgrader.seedIdentity(), seed == now {
        throw .path(database.shown, .isSeed)
      }
    }
    let target = try target(for: choice)
    let chosen = try choose(choice, notAbove: target)
    let backup = try UsableBackup(
      chosen.path, of: database, prepare: upgrader.prepare, deadline)
    let found = backup.header.version
    if let target, found > target { throw .backup(backup.path, .aboveTarget(target)) }
    if let version = chosen.version, found != version {
      throw .backup(backup.path, .damaged(words: "it holds a database at \(found)"))
    }
    var attempt = 0
    while true {
      let replacement = Replacement(
        database: database, directory: directory, deadline: deadline, seedID: seedID)
      switch try database.facts() == nil ? make(from: backup) : replacement.replace(by: backup) {
      case .done(let replaced):
        return Restore(
          version: target.map { found.written(like: $0) } ?? found,
          backup: backup.path.shown, replaced: replaced?.shown)
      case .inUse: break
      }
      guard deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled(reached: nil) }
        throw .backup(Path(database.shown), .inUse)
      }
      attempt += 1
    }
  }

  /// The target; nil if nothing ships, or if somebody names what to put back and the scripts or the
  /// seed cannot be read.
  private func target(for choice: Choice) throws(UpgradeError) -> Version? {
    guard case .newest = choice else { return upgrader.knownTarget() }
    if let target = upgrader.target { return target }
    guard upgrader.seed != nil || !upgrader.migrations.sources.isEmpty else { return nil }
    return try upgrader.plan().target
  }

  /// The file to put back, and the version in its name.
  func choose(
    _ choice: Choice, notAbove target: Version?
  ) throws(UpgradeError) -> (path: Path, version: Version?) {
    let all = try directory.backups().filter { !$0.isReplaced }
    let chosen: BackupName?
    switch choice {
    case .file(let path):
      let path = Path(path)
      let file = try UpgradeError.at(path) { () throws(SystemError) in
        try System.isLink(path) ? System.resolve(path) : path
      }
      return (file, nil)
    case .version(let version): chosen = all.last { $0.version == version }
    case .newest: chosen = all.last { name in target.map { name.version <= $0 } ?? true }
    }
    if let chosen { return (directory.file(chosen), chosen.version) }
    if case .newest = choice, let target, let above = all.last {
      throw .backup(directory.file(above), .aboveTarget(target))
    }
    if all.isEmpty, let other = try directory.backupOfOtherPath() {
      throw .backup(other, .ofOtherPath)
    }
    throw .backup(directory.path, .notThere)
  }

  /// The `application_id` of the seed that ships; 0 if it cannot be read.
  private var seedID: Int32 {
    guard let seed = upgrader.seed else { return 0 }
    do {
      return try SeedFile.header(of: seed).applicationID
    } catch {
      return 0
    }
  }

  /// Makes the missing database as if the backup were the seed; it has the mode of the backup.
  private func make(from backup: UsableBackup) throws(UpgradeError) -> Replacement.End {
    try backup.refuseOther(than: seedID == 0 ? backup.header.applicationID : seedID)
    let copy = SeedCopy(
      file: database, seed: .file(backup.path), header: backup.header,
      backup: backup.facts, deadline: deadline)
    return try copy.publish() ? .done(replaced: nil) : .inUse
  }
}

/// A file that may be put back: it is a whole database, and no program has it open.
struct UsableBackup {
  let path: Path
  let header: DatabaseHeader
  let facts: FileFacts?
  private let prepare: Upgrader.Prepare?
  private let deadline: Deadline

  init(
    _ path: Path, of database: DatabaseFile, prepare: Upgrader.Prepare?, _ deadline: Deadline
  ) throws(UpgradeError) {
    (self.path, self.prepare, self.deadline) = (path, prepare, deadline)
    facts = try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
    // To open and close the database would drop SQLite's locks on it.
    if let facts, facts.identity == database.factsAtFirst?.identity {
      throw .backup(path, .isDatabase)
    }
    header = try Self.header(of: path)
    try check()
  }

  private static func header(of path: Path) throws(UpgradeError) -> DatabaseHeader {
    do {
      return try SeedFile.header(of: SeedFile.open(path), path)
    } catch {
      if case .missing = error { throw .backup(path, .notThere) }
      guard case .seed(let seed) = error else { throw error }
      if case .journalBeside(let journal) = seed.problem {
        throw .backup(path, .journalBeside(journal))
      }
      throw .backup(path, .damaged(words: seed.problem.words))
    }
  }

  func open() throws(SQLiteError) -> Connection {
    // SQLite leaves nothing beside a file that it opens as immutable.
    try Connection(path: path.bytes, access: .immutable, deadline: deadline)
  }

  private func check() throws(UpgradeError) {
    let words: String?
    do throws(SQLiteError) {
      let connection = try open()
      // Without its collations, a table would not be checked.
      try? connection.prepare(by: prepare, at: path.shown)
      do {
        words = try connection.damage(foundBy: "quick_check")
      } catch {
        // Perhaps only the service has a collation that a table needs. The pages are copied without
        // it.
        guard error.code.primary == .error else { throw error }
        words = try connection.damageInTables()
      }
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: nil) }
      // The machine may be at fault: it has too few open files, for example.
      guard [.corrupt, .notADatabase, .error].contains(error.code.primary) else {
        throw UpgradeError(error, at: path.shown, reached: nil)
      }
      words = error.message
    }
    if let words { throw .backup(path, .damaged(words: words)) }
  }

  /// Refuses the backup if it is another application's.
  func refuseOther(than applicationID: Int32) throws(UpgradeError) {
    guard header.applicationID == applicationID else {
      throw .foreign(
        path: path.shown, applicationID: header.applicationID, expected: applicationID)
    }
  }
}
