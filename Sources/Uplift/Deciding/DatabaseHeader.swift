package import UpliftSystem

/// The header of a database file, read without SQLite, so that a boot need not open the seed.
///
/// The offsets are those of sqlite.org/fileformat2.html, section 1.3.
package struct DatabaseHeader: Hashable, Sendable {
  /// The file's header has 100 bytes, and the header of the first page has 8.
  static let size = 108

  package private(set) var version: Version
  let applicationID: Int32
  let hasTables: Bool
  let pageSize: Int
  /// The text encoding, as `PRAGMA encoding` names it; nil for a database without tables.
  package let encoding: String?
  /// True if SQLite moves the first page of a table when another table is dropped (`auto_vacuum`).
  package let movesRootPages: Bool
  /// True if SQLite would open the database with a write-ahead log.
  package let usesLog: Bool

  /// Checks that these are the first bytes of a database, and that its file has the right size.
  init(_ bytes: [UInt8], fileSize: Int64) throws(Problem) {
    guard fileSize > 0 else { throw Problem(words: "is empty") }
    let isDatabase = bytes.starts(with: "SQLite format 3\0".utf8)
    if isDatabase, fileSize < 512 { throw Problem(words: "has \(fileSize) bytes, not 512") }
    guard isDatabase, bytes.count == Self.size else { throw Self.otherKind(bytes) }
    func big16(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    func big32(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    let pageSize = big16(16) == 1 ? 65536 : big16(16)
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Problem(words: "is damaged: a page size of \(pageSize)")
    }
    // The page count is valid only if the change counter equals the version-valid-for number, which
    // an old SQLite does not write; any whole number of pages is then the right size.
    let page = Int64(pageSize)
    let pages = big32(24) == big32(92) ? Int64(big32(28)) : 0
    let expected = (pages > 0 ? pages : (fileSize + page - 1) / page) * page
    if fileSize != expected { throw Problem(words: "has \(fileSize) bytes, not \(expected)") }
    guard (1...2).contains(bytes[18]), (1...2).contains(bytes[19]) else {
      throw Problem(words: "is damaged: a file format of \(bytes[18]) and \(bytes[19])")
    }
    let number = Int32(bitPattern: big32(60))
    guard let version = Version(number) else {
      throw Problem(words: "is damaged: a user_version of \(number)")
    }
    // The first page belongs to a table's tree: it is an inner page (5) or a leaf (13).
    guard [5, 13].contains(bytes[100]) else {
      throw Problem(words: "is damaged: a first page of kind \(bytes[100])")
    }
    self.version = version
    self.pageSize = pageSize
    switch big32(56) {
    case 1: encoding = "UTF-8"
    case 2: encoding = "UTF-16le"
    case 3: encoding = "UTF-16be"
    default: encoding = nil
    }
    // The largest first page of a table; 0 without `auto_vacuum`.
    movesRootPages = big32(52) != 0
    usesLog = bytes[19] == 2
    applicationID = Int32(bitPattern: big32(68))
    // An inner page always has rows below it. A leaf counts its rows.
    hasTables = bytes[100] == 5 || big16(103) > 0
  }

  /// The same header, with its version in the form of another version: plain or dotted.
  func written(like version: Version) -> DatabaseHeader {
    var header = self
    header.version = self.version.written(like: version)
    return header
  }

  /// The reason why a file is not a whole database, as the predicate of a clause.
  struct Problem: Error {
    let words: String
    var seedRemedy = "ship the seed again, as a whole SQLite database"
    var backupRemedy = "choose another backup with --to or --from; the database is as it was"

    func refusal(of path: String, isBackup: Bool = false) -> UpgradeError {
      if !isBackup { return .seed(path, words, fix: seedRemedy) }
      let clause = words.hasPrefix("is damaged: ") ? words : "is damaged: it \(words)"
      return UpgradeError(.damaged, "\(path.quoted) \(clause)", fix: backupRemedy)
    }
  }

  /// A file that people ship by mistake, recognised by its first bytes.
  private static func otherKind(_ bytes: [UInt8]) -> Problem {
    if bytes.starts(with: "version https://git-lfs".utf8) {
      return Problem(
        words: "is a pointer of Git LFS, not a database",
        seedRemedy: "run git lfs pull before the seed is packed")
    }
    let packed: [(start: [UInt8], kind: String)] = [
      ([0x1f, 0x8b], "gzip"), ([0x50, 0x4b, 3, 4], "zip"), ([0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    ]
    if let kind = packed.first(where: { bytes.starts(with: $0.start) })?.kind {
      return Problem(words: "is a \(kind) file, not a database")
    }
    let isText = bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f || (9...13).contains($0) }
    return Problem(words: isText ? "is text, not a database" : "is not a database")
  }
}

/// The journal and the log that SQLite keeps beside a database.
package enum JournalFiles {
  /// The first of them that holds something.
  static func first(beside database: Path) throws(UpgradeError) -> Path? {
    for journal in [database + "-wal", database + "-journal"] {
      if let found = try journal.facts(), found.size > 0 { return journal }
    }
    return nil
  }

  /// Throws if one of them is beside a free name that a database is to get: SQLite would put another
  /// database's pages into the new file.
  package static func refuse(beside name: Path) throws(UpgradeError) {
    if let journal = try first(beside: name) { throw .orphaned(journal.shown) }
  }
}
