package import UpliftSQLite
internal import UpliftSystem

/// An open seed or backup, which is a whole database.
package struct SeedFile: ~Copyable {
  let file: OpenFile
  let facts: FileFacts
  let header: DatabaseHeader

  /// Opens the file, reads its header, and checks that it is a whole database.
  static func open(
    _ path: Path, isBackup: Bool = false, followingLinks: Bool = true
  ) throws(UpgradeError) -> SeedFile {
    let notAFile = DatabaseHeader.Problem(words: "is not a file")
      .refusal(of: path.shown, isBackup: isBackup)
    func opened() throws(UpgradeError) -> OpenFile {
      do {
        return try followingLinks ? .reading(path) : .readingItself(path)
      } catch {
        if error.isSocketOrDevice { throw notAFile }
        throw UpgradeError(error, reading: path, missing: .missingSeed(path.shown))
      }
    }
    let file = try opened()
    let facts = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard facts.kind == .file else { throw notAFile }
    // SQLite keeps the log, with a part of the database, beside the target of a link.
    if let journal = try JournalFiles.first(beside: path.isLink() ? path.resolved() : path) {
      throw DatabaseHeader.Problem(
        words: "has changes outside it, in \(journal.shown.quoted)",
        seedRemedy: "close the program that has the seed open, or VACUUM INTO a new seed",
        backupRemedy: "close the program that has the backup open, or move both files away"
      ).refusal(of: path.shown, isBackup: isBackup)
    }
    let start = try UpgradeError.at(path) { () throws(SystemError) in
      try file.readStart(DatabaseHeader.size)
    }
    do {
      let header = try DatabaseHeader(start, fileSize: facts.size)
      return SeedFile(file: file, facts: facts, header: header)
    } catch {
      throw error.refusal(of: path.shown, isBackup: isBackup)
    }
  }

  /// Reads the seed's header, and checks that it is a whole database.
  package static func header(of seed: Seed) throws(UpgradeError) -> DatabaseHeader {
    switch seed.source {
    case .file(let path): return try open(path).header
    case .bytes(let bytes):
      let start = Array(bytes.prefix(DatabaseHeader.size))
      do {
        return try DatabaseHeader(start, fileSize: Int64(bytes.count))
      } catch {
        throw error.refusal(of: seed.name)
      }
    }
  }
}

/// A seed or a backup that SQLite reads, and that no process may change meanwhile.
struct UnchangedSeed {
  let seed: Seed
  /// The file at the beginning; nil for a seed of bytes, which cannot change.
  private let facts: FileFacts?

  /// Fails if it is not the seed with this header, or not the backup that was checked.
  init(_ seed: Seed, header: DatabaseHeader, backup: FileFacts? = nil) throws(UpgradeError) {
    self.seed = seed
    facts = try Self.facts(of: seed)
    guard backup == nil || facts == backup, try SeedFile.header(of: seed) == header else {
      throw .changedSeed(seed.name)
    }
  }

  /// Fails if the file was replaced or written since the beginning.
  func check() throws(UpgradeError) {
    guard try Self.facts(of: seed) == facts else { throw .changedSeed(seed.name) }
  }

  private static func facts(of seed: Seed) throws(UpgradeError) -> FileFacts? {
    if case .file(let path) = seed.source { try path.facts() } else { nil }
  }

  /// Attaches the seed as the schema `seed`, so that a script can read it and nothing can write it.
  func attach(to connection: borrowing Connection) throws(UpgradeError) {
    do throws(SQLiteError) {
      try seed.attach(to: connection)
    } catch {
      try check()
      throw seed.translated(error)
    }
  }
}

extension Seed {
  /// Attaches the seed as the schema `seed`.
  package func attach(to connection: borrowing Connection) throws(SQLiteError) {
    switch source {
    case .file(let path): try connection.attachSeed(path.bytes)
    case .bytes(let bytes): try connection.attachSeed(bytes: bytes)
    }
  }

  /// Opens the seed for reading; nothing is written to it, or beside it.
  package func open(deadline: Deadline) throws(SQLiteError) -> Connection {
    switch source {
    case .file(let path):
      try Connection(path: path.bytes, access: .immutable, deadline: deadline)
    case .bytes(let bytes): try .memory(bytes, deadline: deadline)
    }
  }

  /// Opens the seed, and reads its schema: from a seed that this SQLite is too old to read, no
  /// database may be made, because it would stay when the seed is corrected.
  func openReadable(deadline: Deadline) throws(UpgradeError) -> Connection {
    do throws(SQLiteError) {
      let connection = try open(deadline: deadline)
      try connection.run("SELECT 1 FROM sqlite_master")
      return connection
    } catch {
      throw translated(error)
    }
  }

  /// An error of SQLite that shows a damaged seed, unless the machine is at fault.
  fileprivate func translated(_ error: SQLiteError) -> UpgradeError {
    let translated = UpgradeError(error, at: name)
    let isOfMachine = [.disk, .cancelled, .busy, .tooManyFiles].contains(translated.kind)
    return isOfMachine ? translated : .seed(name, "is damaged: \(error.message)")
  }

  /// True if a seed with this header is at version 0 and has no tables but SQLite's own, which the
  /// header counts, too.
  package func isEmpty(_ header: DatabaseHeader) -> Bool {
    guard header.version == .zero else { return false }
    if !header.hasTables { return true }
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    // Whoever uses the seed reports the error.
    return (try? DatabaseState(open(deadline: deadline)).isEmpty) ?? false
  }
}
