internal import UpliftSystem

extension Upgrader {
  /// Puts back a backup that ``Options/backup`` made.
  ///
  /// Without a version, it takes the newest backup that is not above the target. It checks the
  /// backup first. Then Uplift takes SQLite's lock on the database. It copies the old content to
  /// the directory, for example as `guestbook-5-replaced.db`, and writes the backup into the
  /// database. If anything fails before the commit, the database is as it was.
  ///
  /// Rows that were written after the backup are in the copy only.
  @discardableResult
  public func restore(
    from directory: String, to version: Version? = nil,
    isCancelled: @escaping () -> Bool = { Task.isCancelled }
  ) throws(UpgradeError) -> Restore {
    try Restoration(self, from: directory, isCancelled: isCancelled).run(to: version)
  }

  /// The path of the backup that ``restore(from:to:isCancelled:)`` would take, if its pages are
  /// sound; nil if there is none.
  package func newestBackup(in directory: String, target: Version) -> String? {
    do {
      return try Restoration(self, from: directory, isCancelled: { false })
        .newestBackup(notAbove: target).shown
    } catch {
      return nil
    }
  }
}
