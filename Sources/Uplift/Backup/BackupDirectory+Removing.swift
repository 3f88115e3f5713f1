internal import UpliftSystem

/// Removing files that are needed no more.
extension BackupDirectory {
  /// Keeps the backups of the `count` highest versions and the one just made, and deletes the
  /// others.
  ///
  /// At least one backup stays. If a backup cannot be deleted, that is no error, because the
  /// upgrade has succeeded. Files for which `isBackup` is false are neither counted nor deleted,
  /// because people keep other files with such names.
  func prune(
    keeping count: Int, and made: Version, old: Set<FileFacts>,
    isBackup: (Path, Version) -> Bool
  ) {
    do {
      // A listing from before the run does not have the backup that was just made.
      let versions = Set(try versions() + [made]).sorted().filter { version in
        isBackup(file(at: version), version)
      }
      for version in versions.dropLast(max(count, 1)) where version != made {
        guard let facts = facts(at: version), old.contains(facts) else { continue }
        _ = remove(facts.content, at: version)
      }
    } catch {
      return
    }
  }

  /// Removes the backup at a version if it is this file; false if it is another one.
  ///
  /// Another process may replace the backup at any moment. So the file first gets a name that nobody
  /// else uses.
  func remove(_ wanted: FileFacts.Content, at version: Version) -> Bool {
    do {
      guard try content(at: version) == wanted else { return false }
      let own = try keep(file(at: version), replacedAt: version)
      if try Self.content(of: own) == wanted {
        System.discard(own)
        return true
      }
      try System.publish(own, as: file(at: version))
    } catch {
      // The file keeps one of its names.
    }
    return false
  }

  /// Locks a backup, as a sign that the upgrade that has made it is still running; nil if that is not
  /// possible.
  func lock(_ backup: Path) -> OpenFile? {
    guard let file = openToLock(backup), (try? file.lock()) == true else { return nil }
    return file
  }

  /// Opens a backup for writing if possible, because NFS locks no file that is open for reading only.
  private func openToLock(_ backup: Path) -> OpenFile? {
    (try? OpenFile.writing(backup)) ?? (try? OpenFile.readingItself(backup))
  }

  /// The backups that were made before an upgrade began, but those that running upgrades have made.
  func unlockedBackups(before began: FileFacts.Moment) -> Set<FileFacts> {
    guard let versions = try? versions() else { return [] }
    let unlocked = versions.filter { version in
      let backup = file(at: version)
      // To close the database would drop SQLite's locks on it.
      guard (try? isDatabase(backup)) == false, let file = openToLock(backup) else { return false }
      defer { file.unlock() }
      return (try? file.lock()) != false
    }
    let found = unlocked.compactMap(facts(at:))
    let now = FileFacts.Moment.now()
    return Set(found.filter { Self.isOld($0.modified, began: began, now: now) })
  }

  /// True if a file with this time was made before an upgrade began.
  ///
  /// Some file systems have times in whole seconds, or in steps of two. A time in the future is from
  /// another clock, or was set by hand. If it is in the near future, the clock may be that of another
  /// machine, on which an upgrade runs.
  private static func isOld(
    _ time: FileFacts.Moment, began: FileFacts.Moment, now: FileFacts.Moment
  ) -> Bool {
    if time.seconds > now.seconds + 3600 { return true }
    return time.nanoseconds == 0 ? time.seconds < began.seconds - 1 : time < began
  }

  /// Nil also if they cannot be read.
  private func facts(at version: Version) -> FileFacts? {
    try? System.facts(of: file(at: version), followingLinks: false)
  }
}
