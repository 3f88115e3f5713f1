internal import UpliftSystem

/// The second names, `-earlier`, of backups that were made right before a script without a
/// transaction.
extension BackupDirectory {
  /// A second name of a backup that is in use.
  struct SecondName {
    let version: Version
    let file: FileFacts.Content
    /// The file that has the first name; nil if there is none.
    let first: FileFacts.Content?
  }

  /// The second names that are in use now.
  func secondNames() throws(UpgradeError) -> [SecondName] {
    var found: [SecondName] = []
    for version in try list(names.versionOfEarlier) where try hasSecondName(at: version) {
      guard let file = try Self.content(of: file(earlierAt: version)) else { continue }
      found.append(SecondName(version: version, file: file, first: try content(at: version)))
    }
    return found
  }

  /// True if a file has the second name that the backup at a version may have.
  ///
  /// Uplift gives this name to no link, and to no database of another version; people may. A file
  /// that cannot be read may be a damaged backup.
  func hasSecondName(at version: Version) throws(UpgradeError) -> Bool {
    let earlier = file(earlierAt: version)
    let facts = try UpgradeError.at(earlier) { () throws(SystemError) in
      try System.facts(of: earlier, followingLinks: false)
    }
    guard facts?.kind == .file, try !isDatabase(earlier) else { return false }
    guard let header = try? UsableBackup.header(of: earlier) else { return true }
    return header.version == version
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
