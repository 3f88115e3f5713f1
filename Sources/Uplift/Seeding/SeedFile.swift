internal import UpliftSystem

/// Opens the seed and reads its header.
package enum SeedFile {
  static func open(_ path: Path, followingLinks: Bool = true) throws(UpgradeError) -> OpenFile {
    do {
      return try followingLinks ? OpenFile.reading(path) : OpenFile.readingItself(path)
    } catch {
      if error.isSocketOrDevice { throw .seed(file: path.shown, .notAFile) }
      throw UpgradeError(error, reading: path, missing: .missing(.seed, path: path.shown))
    }
  }

  /// Reads the seed's header, and checks that it is a whole database.
  package static func header(of seed: Seed) throws(UpgradeError) -> DatabaseHeader {
    switch seed.source {
    case .file(let path): return try header(of: try open(path), path)
    case .bytes(let bytes):
      return try header(Array(bytes.prefix(DatabaseHeader.size)), Int64(bytes.count), in: "bytes")
    }
  }

  /// Reads the header of an open file, and checks that the file is a whole database.
  ///
  /// If there is a journal beside it, a part of the database is in the journal.
  static func header(
    of file: borrowing OpenFile, _ path: Path
  ) throws(UpgradeError) -> DatabaseHeader {
    let facts = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard facts.kind == .file else { throw .seed(file: path.shown, .notAFile) }
    // The seed may be a link (Kubernetes ConfigMaps and package stores make links). SQLite keeps
    // the log beside the target.
    let whole = try UpgradeError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path) : path
    }
    if let journal = try JournalFiles.first(beside: whole) {
      throw .seed(file: path.shown, .journalBeside(journal.shown))
    }
    let start = try UpgradeError.at(path) { () throws(SystemError) in
      try file.readStart(DatabaseHeader.size)
    }
    return try header(start, facts.size, in: path.shown)
  }

  private static func header(
    _ start: [UInt8], _ size: Int64, in path: String
  ) throws(UpgradeError) -> DatabaseHeader {
    do {
      return try DatabaseHeader(start, fileSize: size)
    } catch {
      throw .seed(file: path, error.file)
    }
  }
}

/// A seed that SQLite reads, and that no process may change meanwhile.
struct UnchangedSeed {
  let seed: Seed
  /// The file at the beginning; nil for a seed of bytes, which cannot change.
  private let facts: FileFacts?

  /// Fails if the seed is not the one that the upgrade was planned with, which had this header, or
  /// not the backup that was checked.
  init(_ seed: Seed, header: DatabaseHeader, backup: FileFacts? = nil) throws(UpgradeError) {
    self.seed = seed
    facts = try Self.facts(of: seed)
    guard backup == nil || facts == backup, try SeedFile.header(of: seed) == header
    else { throw changed }
  }

  /// Fails if the file was replaced or written since the beginning.
  func check() throws(UpgradeError) {
    guard try Self.facts(of: seed) == facts else { throw changed }
  }

  private var changed: UpgradeError { .seed(file: seed.name, .changed) }

  private static func facts(of seed: Seed) throws(UpgradeError) -> FileFacts? {
    guard case .file(let path) = seed.source else { return nil }
    return try UpgradeError.at(path) { () throws(SystemError) in
      try System.facts(of: path, followingLinks: true)
    }
  }
}
