internal import UpliftSystem

/// The names `app-1-replaced.db`, `app-1-replaced_2.db` and so on, whose files nothing replaces or
/// deletes.
extension BackupDirectory {
  /// A path that no file has yet, for the copy of the content that a restore replaces.
  ///
  /// No journal is beside it: SQLite would take that for the copy's own. It does not end in a dash
  /// and a number, so it is never the backup of another database.
  func file(replacedAt version: Version) throws(UpgradeError) -> Path {
    var attempt = 1
    while true {
      let name = name(replacedAt: version, attempt)
      if try isFree(name) { return name }
      attempt += 1
    }
  }

  private func name(replacedAt version: Version, _ attempt: Int) -> Path {
    let suffix = attempt == 1 ? "-replaced" : "-replaced_\(attempt)"
    return path.appending(names.name(at: version, suffix: suffix))
  }

  private func isFree(_ name: Path) throws(UpgradeError) -> Bool {
    let facts = try UpgradeError.at(name) { () throws(SystemError) in
      try System.facts(of: name, followingLinks: false)
    }
    guard facts == nil else { return false }
    return try JournalFiles.first(beside: name) == nil
  }

  /// Gives a backup a second name, like those of the contents that a restore replaced.
  ///
  /// Nothing replaces or deletes the file of this name, which survives a power cut. A backup that has
  /// such a name gets no other.
  func addReplacedName(at version: Version) throws(UpgradeError) {
    let backup = file(at: version)
    guard let own = try Self.identity(of: backup) else { return }
    var attempt = 1
    while true {
      let name = name(replacedAt: version, attempt)
      if try identityItself(of: name) == own { return try sync() }
      if try isFree(name), try add(name, to: backup) { return try sync() }
      attempt += 1
    }
  }

  /// Nil for a link, which leads to another file after the backup is replaced.
  private func identityItself(of name: Path) throws(UpgradeError) -> FileFacts.Identity? {
    let facts = try UpgradeError.at(name) { () throws(SystemError) in
      try System.facts(of: name, followingLinks: false)
    }
    return facts?.kind == .file ? facts?.identity : nil
  }

  /// Adds a name to a file; false if another file has it.
  ///
  /// If the file system has no hard links, the file gets this name instead of its own, unless
  /// another boot was faster.
  private func add(_ name: Path, to file: Path) throws(UpgradeError) -> Bool {
    do {
      try System.addName(name, to: file)
      return true
    } catch {
      if error.isTaken { return false }
    }
    // A program that has the file open would lose its log.
    if let journal = try JournalFiles.first(beside: file) {
      throw .backup(file, .journalBeside(journal.shown))
    }
    do {
      try System.publish(file, as: name)
      return true
    } catch {
      if error.isTaken { return false }
      if error.isNotThere { return true }
      throw UpgradeError(error, at: name)
    }
  }

  /// Gives a file such a name instead of its own.
  @discardableResult
  func keep(_ path: Path, replacedAt version: Version) throws(UpgradeError) -> Path {
    let name = try file(replacedAt: version)
    try UpgradeError.at(path) { () throws(SystemError) in try System.publish(path, as: name) }
    return name
  }
}
