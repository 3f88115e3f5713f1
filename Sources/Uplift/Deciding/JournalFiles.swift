package import UpliftSystem

/// The journal and the log that SQLite keeps beside a database.
package enum JournalFiles {
  /// The first of them that holds something; nil if there is none.
  static func first(beside database: Path) throws(UpgradeError) -> Path? {
    for journal in [database + "-wal", database + "-journal"] {
      let found = try UpgradeError.at(journal) { () throws(SystemError) in
        try System.facts(of: journal, followingLinks: true)
      }
      if let found, found.size > 0 { return journal }
    }
    return nil
  }

  /// Throws if one of them is beside a free name that a database is to get.
  ///
  /// SQLite would take it for the new file's own, and would put the pages of another database into
  /// that file.
  package static func refuse(beside name: Path) throws(UpgradeError) {
    if let journal = try first(beside: name) { throw .orphaned(journal: journal.shown) }
  }
}
