internal import UpliftSystem

/// A database that is not there, or is empty, although there are backups of it.
///
/// It may have been lost, and its backups may be all that is left. An upgrade makes another one from
/// the seed, or a restore makes it from one of the backups. Later upgrades make backups of that one,
/// under the names of the lost one's.
struct LostDatabase {
  private let directory: BackupDirectory

  /// `directory` is that of its backups.
  init(_ directory: BackupDirectory) { self.directory = directory }

  /// Nil if the upgrade makes no backups, or cannot reach them.
  init?(_ file: DatabaseFile, _ upgrader: Upgrader) {
    guard let backup = upgrader.options.backup else { return nil }
    do {
      directory = try BackupDirectory(backup.directory, of: file.path, upgrader)
    } catch {
      return nil
    }
  }

  /// Gives each backup above a version a second name that nothing replaces or deletes.
  ///
  /// A failure is ignored: nothing is lost yet, and the service may need the new database.
  func keepBackups(above version: Version? = nil) {
    do {
      for found in try directory.versions() where version.map({ found > $0 }) ?? true {
        keepBackup(at: found)
      }
    } catch {
      return
    }
  }

  private func keepBackup(at version: Version) {
    do {
      let header = try UsableBackup.header(of: directory.file(at: version))
      if header.version == version { try directory.addReplacedName(at: version) }
    } catch {
      // It is no backup, or no other will replace it.
    }
  }
}
