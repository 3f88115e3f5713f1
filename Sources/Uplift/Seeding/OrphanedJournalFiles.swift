internal import UpliftSystem

/// Journals that have lost their database.
///
/// A journal may be the only copy of a user's data. SQLite would replay it into a fresh copy of the
/// seed, or would delete it when it opens an empty file.
struct OrphanedJournalFiles {
  let file: DatabaseFile

  /// Throws if there is a journal and no database, or a journal beside an empty file.
  func refuse() throws(UpgradeError) {
    guard let suffix = try first() else { return }
    throw .orphaned(journal: file.shown + suffix)
  }

  /// Renames each orphaned journal; the new name ends in `.orphaned-` and the time.
  ///
  /// The new names are synced before a database is made. Otherwise a power cut could bring back the
  /// old names beside a new database. Without the lock nothing is renamed: another boot may have
  /// made a database meanwhile, and the journal may belong to it.
  func moveAside(
    in directory: borrowing DataDirectory, _ lock: DataDirectory.Lock
  ) throws(UpgradeError) {
    while let suffix = try first() {
      switch lock {
      case .ours: break
      case .unsupported: throw .orphaned(journal: file.shown + suffix)
      case .held: throw .busy(path: file.directory.shown, reached: nil)
      }
      let journal = file.path + suffix
      try UpgradeError.at(journal) { () throws(SystemError) in
        try Self.rename(journal, to: journal + ".orphaned-\(System.stamp())")
      }
      try directory.sync()
    }
  }

  /// The suffix of the first orphaned journal; nil if there is none.
  private func first() throws(UpgradeError) -> String? {
    let facts = try file.facts()
    guard facts == nil || facts?.size == 0 else { return nil }
    var suffix = "-wal"
    if try !file.hasJournal(suffix) {
      suffix = "-journal"
      guard try file.hasJournal(suffix) else { return nil }
      if facts != nil { guard try isJournalOfNonemptyDatabase() else { return nil } }
    }
    // If another process has made a database meanwhile, the journal may belong to it.
    return try file.facts() == facts ? suffix : nil
  }

  /// True if the journal belongs to a database that was not empty.
  ///
  /// A crash in the first write to an empty database also leaves a journal, which holds no data.
  /// The header tells the difference: "8 bytes: header string; … offset 16: the initial size of the
  /// database in pages" (sqlite.org/fileformat2.html, section 3). SQLite ignores a journal without
  /// the header string.
  private func isJournalOfNonemptyDatabase() throws(UpgradeError) -> Bool {
    let path = file.path + "-journal"
    let start: [UInt8]
    do {
      start = try OpenFile.reading(path).readStart(20)
    } catch  where error.isNotThere {
      // Another process had the journal, and has finished.
      return false
    } catch {
      throw UpgradeError(error, at: path)
    }
    return start.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
      && start.dropFirst(16).contains { $0 != 0 }
  }

  /// If the name is taken (two journals in one second), adds a number.
  private static func rename(_ journal: Path, to name: Path) throws(SystemError) {
    var count = 1
    while true {
      do {
        return try System.publish(journal, as: count == 1 ? name : name + "-\(count)")
      } catch  where error.isTaken {
        count += 1
      }
    }
  }
}
