internal import UpliftSQLite
internal import UpliftSystem

/// A database that is not there, or has no table, although there are backups of it.
///
/// It may have been lost, and its backups may be all that is left. An upgrade makes another one from
/// the seed, or a restore makes it from one of the backups. Later upgrades make backups of that one,
/// under the names of the lost one's.
struct LostDatabase {
  private let directory: BackupDirectory

  /// `directory` is that of its backups.
  init(_ directory: BackupDirectory) { self.directory = directory }

  /// Nil if the upgrade makes no backups.
  init?(_ file: DatabaseFile, _ upgrader: Upgrader) throws(UpgradeError) {
    guard let backup = upgrader.options.backup else { return nil }
    directory = try BackupDirectory(backup.directory, of: file.path, upgrader)
  }

  /// Keeps the backups, and those from before a script that failed, whose names another database may
  /// need.
  func keepFiles() throws(UpgradeError) {
    try keepBackups()
    try directory.keepSecondNames()
  }

  /// Gives each backup a second name that nothing replaces or deletes, except the one that a restore
  /// puts back.
  ///
  /// A restore can take a backup from a directory that cannot be written, because nothing can replace
  /// the others there.
  func keepBackups(except restored: Version? = nil) throws(UpgradeError) {
    for found in try directory.versions() where found != restored {
      guard try isBackup(at: found) else { continue }
      do throws(UpgradeError) {
        try directory.addReplacedName(at: found)
      } catch {
        guard restored != nil, case .denied = error else { throw error }
      }
    }
  }

  /// False for a backup without tables.
  ///
  /// A service that fails at its first script makes such a backup at each start. Any other file that
  /// has the name of a backup counts: it may be all that is left, and if it is damaged, a later
  /// backup would replace it. With a log beside it, the tables may be in the log.
  func isBackup(at version: Version) throws(UpgradeError) -> Bool {
    let file = directory.file(at: version)
    let facts = try UpgradeError.at(file) { () throws(SystemError) in
      try System.facts(of: file, followingLinks: false)
    }
    guard let facts, facts.kind == .file, facts.size > 0, try !directory.isDatabase(file) else {
      return false
    }
    if try JournalFiles.first(beside: file) != nil { return true }
    return Self.hasTables(file) ?? true
  }

  /// True if a copy of a database has a table; nil if it cannot be read.
  static func hasTables(_ file: Path) -> Bool? {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    return try? Connection(path: file.bytes, access: .immutable, deadline: deadline).hasOwnTables()
  }
}
