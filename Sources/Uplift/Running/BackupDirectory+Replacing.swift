internal import UpliftSQLite
internal import UpliftSystem

/// Which files an upgrade may replace or delete.
extension BackupDirectory {
  /// Refuses to replace another database, a backup of another version, or something that is no
  /// file.
  ///
  /// True if there is a file that is damaged, or is no database: that may be replaced.
  func refuseToReplace(
    _ backup: Path, at version: Version, ofApplication applicationID: Int32
  ) throws(UpgradeError) -> Bool {
    let facts = try UpgradeError.at(backup) { () throws(SystemError) in
      try System.facts(of: backup, followingLinks: true)
    }
    // A link may lead to an archive that is not mounted.
    try refuseOtherFile(at: backup)
    switch facts?.kind {
    case nil:
      try JournalFiles.refuse(beside: backup)
      return false
    case .directory: throw .path(backup.shown, .isDirectory)
    case .link, .other: throw .path(backup.shown, .notAFile)
    case .file: break
    }
    let header: DatabaseHeader
    do {
      header = try UsableBackup.header(of: backup)
    } catch {
      guard case .backup(let wrong) = error else { throw error }
      switch wrong.problem {
      case .damaged: return true
      // Somebody has removed it meanwhile.
      case .notThere: return false
      default: throw error
      }
    }
    guard header.applicationID == applicationID else {
      throw .foreign(
        path: backup.shown, applicationID: header.applicationID, expected: applicationID)
    }
    guard header.version == version else { throw .backup(backup, .otherVersion(header.version)) }
    return false
  }

  /// Gives the old backup a second name if the new one is damaged, as the database is by now.
  ///
  /// The old one may be the only copy that can be restored. The check reads the whole copy, but an
  /// upgrade rarely finds a backup of its version: after a failed script, or after a restore.
  func keepSoundBackup(
    at version: Version, than copy: Path, prepare: Upgrader.Prepare?, _ deadline: Deadline
  ) throws(UpgradeError) {
    guard try identity(at: version) != nil,
      try UsableBackup.isDamaged(copy, prepare: prepare, deadline)
    else { return }
    // A disk may fail for a moment, so the old one is damaged only if two checks say so.
    for _ in 1...2 {
      guard try UsableBackup.isDamaged(file(at: version), prepare: prepare, deadline) else {
        return try addReplacedName(at: version)
      }
    }
  }

  /// True if a file is a backup of this version, made of a database with the same `application_id`.
  func isBackup(
    _ file: Path, at version: Version, ofApplication applicationID: Int32
  ) -> Bool {
    do {
      let facts = try UpgradeError.at(file) { () throws(SystemError) in
        try System.facts(of: file, followingLinks: false)
      }
      guard facts?.kind == .file, try !isDatabase(file) else { return false }
      let header = try SeedFile.header(of: SeedFile.open(file), file)
      return header.version == version && header.applicationID == applicationID
    } catch {
      return false
    }
  }
}
