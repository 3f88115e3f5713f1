internal import UpliftSystem

/// A database that is not there, or is empty, although there are backups of it.
///
/// It may have been lost, and its backups may be all that is left. The upgrade makes another one from
/// the seed. If a script then fails, the next upgrade makes a backup of that one, under the name of
/// the lost one's.
struct LostDatabase {
  let file: DatabaseFile
  let upgrader: Upgrader

  /// Gives each backup a second name that nothing replaces or deletes.
  ///
  /// A failure is ignored: nothing is lost yet, and the service may need the new database.
  func keepBackups() {
    guard let backup = upgrader.options.backup else { return }
    do {
      let directory = try BackupDirectory(backup.directory, of: file.path, upgrader)
      for version in try directory.versions() { keepBackup(at: version, in: directory) }
    } catch {
      return
    }
  }

  private func keepBackup(at version: Version, in directory: BackupDirectory) {
    do {
      let header = try UsableBackup.header(of: directory.file(at: version))
      if header.version == version { try directory.addReplacedName(at: version) }
    } catch {
      // It is no backup, or no other will replace it.
    }
  }
}
