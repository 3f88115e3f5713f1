internal import UpliftSystem

extension Upgrader {
  /// Puts a backup back, as ``Options/backup`` makes them.
  ///
  /// Without a version, it is the newest backup that is not above the target. The backup is checked
  /// first. Then what the database holds now is copied to the directory, under a name of its own, such
  /// as `guestbook-5-replaced.db`. Then the content of the backup is written into the database under
  /// SQLite's locks. If any of this fails, the database is as it was.
  ///
  /// Rows that were written after the backup are in the copy only.
  @discardableResult
  public func restore(
    from directory: String, to version: Version? = nil,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Restore {
    try Restoration(self, from: directory, isCancelled: isCancelled).run(to: version)
  }

  /// The path of the backup that ``restore(from:to:isCancelled:)`` would take; nil if there is none.
  package func newestBackup(in directory: String, target: Version) -> String? {
    do {
      let backups = try BackupDirectory(directory, of: DatabaseFile(database).path)
      return try backups.versions().last { $0 <= target }
        .map { backups.file(at: $0).shown }
    } catch {
      return nil
    }
  }
}
