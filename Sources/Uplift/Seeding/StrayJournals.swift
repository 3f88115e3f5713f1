internal import UpliftSystem

/// Journals that have lost their database.
///
/// SQLite would replay one into a fresh seed, or delete it as it opens an empty file; it may be
/// the only copy of somebody's data.
struct StrayJournals {
  let file: DatabaseFile

  /// Refuses a journal beside no database, or beside an empty file.
  func refuse() throws(UpgradeError) {
    guard let suffix = try first() else { return }
    throw .orphaned(journal: file.shown + suffix)
  }

  /// Gives each another name, which says why and when; the new names are synced before anything
  /// else is done, or a power cut could bring back the old ones beside a fresh database.
  ///
  /// Without the lock nothing is moved: another boot may have made a database meanwhile, and the
  /// journal may be that one's.
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

  /// The suffix of a journal that has lost its database; nil if there is none.
  private func first() throws(UpgradeError) -> String? {
    let facts = try file.facts()
    guard facts == nil || facts?.size == 0 else { return nil }
    var suffix = "-wal"
    if try !file.hasJournal(suffix) {
      suffix = "-journal"
      guard try file.hasJournal(suffix) else { return nil }
      if facts != nil { guard try isJournalOfMore() else { return nil } }
    }
    // A database that another process has made meanwhile has a journal of its own.
    return try file.facts() == facts ? suffix : nil
  }

  /// True for the journal of a database that was not empty.
  ///
  /// That of one that was (a crash in its first write) holds nothing.
  /// "8 bytes: header string; … offset 16: the initial size of the database in pages"
  /// (sqlite.org/fileformat2.html, section 3). Without the header string SQLite does not use it.
  private func isJournalOfMore() throws(UpgradeError) -> Bool {
    let path = file.path + "-journal"
    let start: [UInt8]
    do {
      start = try OpenFile.reading(path).readStart(20)
    } catch  where error.isNotThere {
      // It was another process's, which has finished.
      return false
    } catch {
      throw UpgradeError(error, at: path)
    }
    return start.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
      && start.dropFirst(16).contains { $0 != 0 }
  }

  /// Under a name that is taken (within one second, twice) a count is added.
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
