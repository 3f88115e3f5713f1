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
        System.discard(file(at: version))
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

  /// Frees these second names of the backups at the restored version and above, because the next
  /// upgrade comes to these versions again and may need the names.
  ///
  /// The names are those from before the restore. A boot that has made a backup or runs a script by
  /// now has others.
  ///
  /// If both names lead to the file that was restored, the second one is removed. Any other file may
  /// have rows that the database does not have. So it gets a name that nothing replaces or deletes. If
  /// the names lead to two files, or only the second name is there, no file keeps its name, so that no
  /// later restore takes the wrong one without a question.
  func free(_ names: [SecondName], from restored: Version) {
    let names = names.filter { $0.version >= restored }
    if names.isEmpty { return }
    do {
      for name in names {
        let (backup, earlier) = (file(at: name.version), file(earlierAt: name.version))
        guard try Self.content(of: earlier) == name.file else { continue }
        let isShared = try Self.content(of: backup) == name.file
        // If the process stops between the two, no file has the first name.
        for (path, own) in [(backup, isShared ? nil : name.first), (earlier, name.file)] {
          // A file would lose the journal beside it.
          guard try own != nil && Self.content(of: path) == own,
            try JournalFiles.first(beside: path) == nil
          else { continue }
          if name.version == restored, try Self.content(of: backup) == name.file {
            System.discard(path)
          } else {
            try keep(path, replacedAt: name.version)
          }
        }
      }
      try sync()
    } catch {
      // The restore has succeeded. If a file keeps its name, nothing is lost.
    }
  }

  /// Frees the second names of the backups of a database that is lost, because the next one may need
  /// them.
  ///
  /// A file that has no other name gets one that nothing replaces or deletes.
  func keepSecondNames() throws(UpgradeError) {
    let names = try secondNames()
    for name in names {
      let earlier = file(earlierAt: name.version)
      // The file would lose the journal beside it.
      guard try JournalFiles.first(beside: earlier) == nil else { continue }
      if name.first == name.file {
        System.discard(earlier)
      } else {
        do throws(UpgradeError) {
          try keep(earlier, replacedAt: name.version)
        } catch {
          // Another boot may have been faster.
          if try Self.content(of: earlier) == name.file { throw error }
        }
      }
    }
    if !names.isEmpty { try sync() }
  }
}
