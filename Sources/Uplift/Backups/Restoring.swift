internal import UpliftSQLite
internal import UpliftSystem

extension Upgrader {
  /// Puts back a backup that ``Options/backup`` made.
  ///
  /// Without a version, this takes the newest backup that is not above the target. The backup is
  /// checked. Then what the database holds is saved in the directory, for example as
  /// `guestbook-1f3a9c02-0008-v5-replaced.db`, and the backup is written into the database. Nobody
  /// can write between the two. If it fails before the commit, the database is as it was.
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

  /// Puts back the database in a file, for example what an earlier restore has replaced, after the
  /// present content is saved in the directory.
  @discardableResult
  public func restore(
    backup directory: String, from file: String,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Restore {
    try Restoring(self, directory, isCancelled: isCancelled).run(.file(file))
  }

  /// The path of the backup that a restore would take; nil if there is none.
  func newestBackup(in directory: String, target: Version) -> String? {
    try? Restoring(self, directory, isCancelled: { false })
      .choose(.newest, notAbove: target).path.shown
  }
}

/// Puts a backup into the database, or makes the database if it is not there.
private struct Restoring {
  private let upgrader: Upgrader
  private let database: DatabaseFile
  private let directory: BackupDirectory
  private let deadline: Deadline

  enum Choice {
    case newest
    case version(Version)
    case file(String)
  }

  private struct Backup {
    let path: Path
    let header: DatabaseHeader
    let facts: FileFacts
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
    // A seed that cannot be reached is another file.
    if let now = database.factsAtFirst?.identity, now == (try? upgrader.seedIdentity()) {
      throw .isSeed(database.shown)
    }
    let target = try target(for: choice)
    let chosen = try choose(choice, notAbove: target)
    let backup = try checked(chosen.path)
    let found = backup.header.version
    if let target, found > target { throw aboveTarget(backup.path, target) }
    if let version = chosen.version, found != version {
      throw DatabaseHeader.Problem(words: "holds a database at \(found)")
        .refusal(of: backup.path.shown, isBackup: true)
    }
    var replaced: Path?
    var attempt = 0
    while try !putBack(backup, saving: &replaced) {
      guard deadline.pause(attempt: attempt) else {
        if deadline.mustStopNow { throw .cancelled() }
        throw UpgradeError(
          .busy, "\(database.shown.quoted) is in use, and a restore needs it to itself",
          fix: "stop the service, then run this again")
      }
      attempt += 1
    }
    return Restore(
      version: shown(found, target), backup: backup.path.shown,
      replaced: replaced?.shown)
  }

  /// Nil if nothing ships, or if somebody names what to put back and what ships cannot be read.
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
    case .file(let file):
      let path = Path(file)
      return (try path.isLink() ? path.resolved() : path, nil)
    case .version(let version): chosen = all.last { $0.version == version }
    case .newest: chosen = all.last { $0.version <= target ?? $0.version }
    }
    if let chosen { return (directory.file(chosen), chosen.version) }
    if case .newest = choice, let target, let above = all.last {
      throw aboveTarget(directory.file(above), target)
    }
    if try directory.path.facts() == nil {
      throw .missing(
        "the directory of backups", directory.path.shown,
        fix: "name the directory to which upgrades copy the database")
    }
    if case .version(let version) = choice, !all.isEmpty {
      let others = Set(all.map(\.version)).sorted().map { "\(shown($0, target))" }
      throw UpgradeError(
        .missing,
        "\(directory.path.shown.quoted) has no backup of version \(shown(version, target)), only of "
          + others.joined(separator: ", "), fix: "name one of these versions")
    }
    throw notThere(directory.path)
  }

  /// A version in the style of the scripts, if they are known.
  private func shown(_ version: Version, _ target: Version?) -> Version {
    target.map { version.written(like: $0) } ?? version
  }

  private func aboveTarget(_ backup: Path, _ target: Version) -> UpgradeError {
    UpgradeError(
      .newer, "\(backup.shown.quoted) is above the target \(target)",
      fix: "choose a lower version with to: or --to, or start the newer program")
  }

  private func notThere(_ path: Path) -> UpgradeError {
    UpgradeError(
      .missing, "\(path.shown.quoted) has no backup to put back",
      fix: "name another version, or the directory to which upgrades copy the database; if the "
        + "database was moved, name the file with from: or --from")
  }

  /// Checks that the file is a whole database, and that no program has it open.
  private func checked(_ path: Path) throws(UpgradeError) -> Backup {
    guard let facts = try path.facts() else { throw notThere(path) }
    // To open and close the database would drop SQLite's locks on it.
    if facts.identity == database.factsAtFirst?.identity {
      throw .path(path.shown, "is the database itself", fix: "name a backup of it")
    }
    let header = try SeedFile.open(path, isBackup: true).header
    if let damage = try damage(in: path) {
      throw DatabaseHeader.Problem(words: "is damaged: \(damage)")
        .refusal(of: path.shown, isBackup: true)
    }
    return Backup(path: path, header: header, facts: facts)
  }

  private func damage(in path: Path) throws(UpgradeError) -> String? {
    do throws(SQLiteError) {
      let connection = try Seed.file(path).open(deadline: deadline)
      // Without its collations, a table would not be checked.
      try? connection.prepare(by: upgrader.prepare, at: path.shown)
      do {
        return try connection.damage(foundBy: "quick_check")
      } catch {
        // Perhaps only the service has a collation that a table needs; pages are copied without it.
        guard error.code.primary == .error else { throw error }
        return try connection.damageOfPages()
      }
    } catch {
      // The machine may be at fault: it has too few open files, for example.
      guard !deadline.mustStopNow, [.corrupt, .notADatabase, .error].contains(error.code.primary)
      else { throw deadline.translated(error, at: path.shown) }
      return error.message
    }
  }

  /// Makes the missing database as if the backup were the seed, or saves what the database holds
  /// and writes the backup into it; false if another process made it, or uses it.
  private func putBack(
    _ backup: Backup, saving replaced: inout Path?
  ) throws(UpgradeError) -> Bool {
    if try database.facts() == nil {
      try refuseOther(backup, in: .empty)
      return try SeedCopy(
        file: database, seed: .file(backup.path), header: backup.header, backup: backup.facts,
        deadline: deadline
      ).publish()
    }
    let source = try deadline.at(backup.path.shown) { () throws(SQLiteError) in
      try Seed.file(backup.path).open(deadline: deadline)
    }
    let file = try UnchangedSeed(.file(backup.path), header: backup.header, backup: backup.facts)
    let end = try Replacement(database: database, deadline: deadline)
      .run(by: source, file, backup.header) { connection, old throws(UpgradeError) in
        try refuseOther(backup, in: old)
        if old.isEmpty { return true }
        guard old.version >= .zero else { throw .invalidVersion(old.version) }
        let name = try directory.add(database, at: old.version, isReplaced: true, from: connection)
        replaced = directory.file(name)
        return true
      }
    return end == .done
  }

  /// Refuses a backup of another application than the database's, or than the seed's if the database
  /// is empty and does not say whose it is; a seed that cannot be read refuses nothing.
  private func refuseOther(_ backup: Backup, in old: DatabaseState) throws(UpgradeError) {
    var expected = old.applicationID
    if old.isEmpty, expected == 0, let seed = upgrader.seed {
      guard let header = try? SeedFile.header(of: seed) else { return }
      expected = header.applicationID
    }
    guard old.isEmpty && expected == 0 || expected == backup.header.applicationID else {
      throw .foreign(backup.path.shown, backup.header.applicationID, expected: expected)
    }
  }
}
