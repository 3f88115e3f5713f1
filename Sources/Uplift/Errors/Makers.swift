internal import UpliftSQLite

/// The errors that are thrown in several places.
extension UpgradeError {
  package static func cancelled(reached: Version? = nil) -> Self {
    UpgradeError(
      .cancelled,
      reached == nil ? "cancelled before the version of the database was known" : "cancelled",
      fix: "start again to continue", reached: reached)
  }

  package static func busy(_ path: String, reached: Version? = nil) -> Self {
    UpgradeError(
      .busy, "\(path.quoted) stayed busy",
      fix: "find the program that holds the database, then start again or wait for longer",
      reached: reached)
  }

  /// A path that cannot be used; `problem` is the predicate of a clause.
  package static func path(_ path: String, _ problem: String, fix: String = "name a file") -> Self {
    UpgradeError(.path, "\(path.quoted) \(problem)", fix: fix)
  }

  package static func isDirectory(_ path: String) -> Self {
    .path(path, "is a directory, not a database")
  }

  package static func notAFile(_ path: String) -> Self { .path(path, "is not a file") }

  package static func nameTooLong(_ path: String) -> Self {
    .path(path, "has a name that is longer than the file system takes", fix: "use a shorter name")
  }

  static func unusable(_ directory: String, _ problem: String) -> Self {
    .path(directory, problem, fix: "name a directory that is used for nothing else")
  }

  package static func notADirectory(_ path: String) -> Self { unusable(path, "is not a directory") }

  package static func holdsSeed(_ directory: String) -> Self {
    unusable(directory, "holds the seed, so no other database may lie there")
  }

  package static func parentNotADirectory(_ path: String, _ parent: String) -> Self {
    .path(
      path, "lies in \(parent.quoted), which is not a directory",
      fix: "correct the path: each part before the last is a directory")
  }

  package static func isSeed(_ path: String) -> Self {
    .path(
      path, "is the seed itself",
      fix: "name another data directory: the seed is copied and never changed")
  }

  package static func address(_ text: String) -> Self {
    .path(
      text, "is an address, not a path",
      fix: "name a file; if it really has this name, write ./\(text)")
  }

  package static func missing(_ what: String, _ path: String, fix: String) -> Self {
    UpgradeError(.missing, "\(what) \(path.quoted) is not there", fix: fix)
  }

  package static func missingSeed(_ path: String) -> Self {
    .missing("the seed", path, fix: "ship the seed, or correct its path")
  }

  package static func missingScripts(_ path: String) -> Self {
    .missing("the directory of scripts", path, fix: "ship the scripts, or correct the path")
  }

  package static func missingDatabase(_ path: String) -> Self {
    let fix = "mount the volume or restore the database, then start again"
    return .missing("the database", path, fix: fix)
  }

  package static func unreadable(_ path: String, _ words: String) -> Self {
    let fix = "give the service the right to read it, and to search the directories above it"
    return UpgradeError(.denied, "\(path.quoted): \(words)", fix: fix)
  }

  /// A file or directory that cannot be written.
  package static func denied(_ path: String, _ words: String) -> Self {
    UpgradeError(.denied, "\(path.quoted): \(words)", fix: rightToWrite)
  }

  package static func tooManyFiles(_ path: String, _ words: String) -> Self {
    let fix = "raise the limit of open files (ulimit -n, LimitNOFILE=), then start again"
    return UpgradeError(.tooManyFiles, "\(path.quoted): \(words)", fix: fix)
  }

  package static func disk(_ path: String, _ words: String) -> Self {
    UpgradeError(.disk, "\(path.quoted): \(words)", fix: freeSpace)
  }

  static let freeSpace = "look at the disk and its free space, then start again"

  package static func readOnly(_ path: String) -> Self {
    UpgradeError(.denied, "\(path.quoted) has to be written and is read-only", fix: rightToWrite)
  }

  private static let rightToWrite =
    "give the service the right to write it, and to write the directory that it lies in"

  package static func seed(
    _ name: String, _ problem: String,
    fix: String = "ship the seed again, as a whole SQLite database"
  ) -> Self {
    UpgradeError(.seed, "the seed \(name.quoted) \(problem)", fix: fix)
  }

  package static func changedSeed(_ name: String) -> Self {
    .seed(name, "changed while it was read", fix: "start again when the deployment is complete")
  }

  package static func damaged(_ path: String, _ problem: String) -> Self {
    let replace =
      "move it away with the files beside it (-wal, -shm, -journal); then put a copy in its place, "
      + "or run uplift restore if there is a backup"
    // SQLite cannot read a schema that only a newer one understands.
    let isUnreadable = problem.hasPrefix("is damaged: malformed database schema")
    return UpgradeError(
      .damaged, "\(path.quoted) \(problem)",
      fix: isUnreadable
        ? "if a newer SQLite than \(Engine.version) has made it, use that one; otherwise \(replace)"
        : replace)
  }

  package static func invalidVersion(_ version: Version) -> Self {
    UpgradeError(
      .unversioned, "the database is at \(version), which is not a version",
      fix: "find out who set user_version, and set it to the right number")
  }

  package static func foreign(_ path: String, _ own: Int32, expected: Int32) -> Self {
    UpgradeError(
      .foreign, "\(path.quoted) belongs to application \(own), not \(expected)",
      fix: own == 0
        ? "if it is the right database, set PRAGMA application_id = \(expected) in it"
        : "correct the path, or the seed's application_id")
  }

  package static func orphaned(_ journal: String) -> Self {
    UpgradeError(
      .orphaned, "\(journal.quoted) is there without its database",
      fix: "restore the database beside it; or, if nobody needs the journal's changes any more: "
        + "mv \(journal.quoted) \("\(journal).orphaned".quoted)")
  }

  package static func moved(_ path: String, openAt version: Version) -> Self {
    UpgradeError(
      .moved, "\(path.quoted) was replaced while it was open at \(version)",
      fix: "stop the process that replaced the file, then start again")
  }

  package static func newer(_ database: Version, than target: Version) -> Self {
    UpgradeError(
      .newer, "the database is at \(database), newer than the target \(target)",
      fix: "start the newer program, or restore a copy of the database from before its upgrade",
      reached: database)
  }

  /// True for a text that another program does not take for a path: `:memory:`, an address of
  /// SQLite (`file:app.db`) or of a framework (`sqlite:///app.db`).
  package static func isAddress(_ text: String) -> Bool {
    text.utf8.elementsEqual(":memory:".utf8)
      || ["file:", "sqlite:", "sqlite3:"].contains { text.utf8.starts(with: $0.utf8) }
  }
}
