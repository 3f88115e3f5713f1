package import UpliftSystem

/// The header of a database file, read without SQLite.
///
/// A boot reads the seed's header in this way, so it can decide without opening the seed in SQLite.
/// The offsets are those of sqlite.org/fileformat2.html, section 1.3.
package struct DatabaseHeader: Hashable, Sendable {
  /// The file's header has 100 bytes, and the header of the first page has 8.
  static let size = 108

  package private(set) var version: Version
  let applicationID: Int32
  package let hasTables: Bool
  let pageSize: Int
  /// The text encoding, as `PRAGMA encoding` names it; nil for a database without tables.
  package let encoding: String?
  /// True if SQLite moves the first page of a table when another table is dropped (`auto_vacuum`).
  package let movesRootPages: Bool
  /// True if SQLite would open the database with a write-ahead log.
  package let usesLog: Bool

  /// Checks that these are the first bytes of a database, and that its file has the right size.
  init(_ bytes: [UInt8], fileSize: Int64) throws(Problem) {
    guard fileSize > 0 else { throw Problem(.empty) }
    if fileSize < 512, bytes.starts(with: Array("SQLite format 3\0".utf8)) {
      throw Problem(.truncated(bytes: fileSize, expected: 512))
    }
    guard bytes.count == Self.size, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw Problem(.notADatabase(kind: Self.kind(of: bytes)))
    }
    func big16(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    func big32(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    let written = big16(16)
    let pageSize = written == 1 ? 65536 : written
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Problem(.malformed(words: "a page size of \(pageSize)"))
    }
    // The page count is valid only if the change counter equals the version-valid-for number. An
    // old SQLite writes neither the page count nor that number. Any whole number of pages is then
    // the right size.
    let pages = big32(24) == big32(92) ? Int64(big32(28)) : 0
    let expected = pages > 0 ? pages * Int64(pageSize) : Self.rounded(fileSize, up: pageSize)
    guard fileSize == expected else {
      throw Problem(.truncated(bytes: fileSize, expected: expected))
    }
    guard (1...2).contains(bytes[18]), (1...2).contains(bytes[19]) else {
      throw Problem(.malformed(words: "a file format of \(bytes[18]) and \(bytes[19])"))
    }
    guard let version = Version(Int32(bitPattern: big32(60))) else {
      throw Problem(.malformed(words: "a user_version of \(Int32(bitPattern: big32(60)))"))
    }
    // The first page belongs to a table's tree: it is an inner page (5) or a leaf (13).
    guard [5, 13].contains(bytes[100]) else {
      throw Problem(.malformed(words: "a first page of kind \(bytes[100])"))
    }
    self.version = version
    self.pageSize = pageSize
    encoding = Self.encoding(big32(56))
    // The largest first page of a table; 0 without `auto_vacuum`.
    movesRootPages = big32(52) != 0
    usesLog = bytes[19] == 2
    applicationID = Int32(bitPattern: big32(68))
    // An inner page always has rows below it. A leaf counts its rows.
    hasTables = bytes[100] == 5 || big16(103) > 0
  }

  /// The same header, with its version written in the form of another version: plain or dotted.
  func written(like version: Version) -> DatabaseHeader {
    var header = self
    header.version = self.version.written(like: version)
    return header
  }

  /// The reason why a file is not a whole database.
  struct Problem: Error, Hashable {
    let file: UpgradeError.FileProblem
    init(_ file: UpgradeError.FileProblem) { self.file = file }
  }

  private static func encoding(_ number: UInt32) -> String? {
    switch number {
    case 1: "UTF-8"
    case 2: "UTF-16le"
    case 3: "UTF-16be"
    default: nil
    }
  }

  private static func rounded(_ size: Int64, up page: Int) -> Int64 {
    (size + Int64(page) - 1) / Int64(page) * Int64(page)
  }

  /// A kind of file that people ship by mistake, recognised by its first bytes.
  private static func kind(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: Array("version https://git-lfs".utf8)) { return "a pointer of Git LFS" }
    if bytes.starts(with: [0x1f, 0x8b]) { return "a gzip file" }
    if bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) { return "a zip file" }
    if bytes.starts(with: [0x28, 0xb5, 0x2f, 0xfd]) { return "a zstd file" }
    if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f || (9...13).contains($0) }) { return "text" }
    return nil
  }
}

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
