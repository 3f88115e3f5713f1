internal import UpliftSQLite
internal import UpliftSystem

/// The pages that a write-ahead log holds, by their numbers (sqlite.org/fileformat2.html, section 4).
///
/// A database with a log may be shorter than it should be: pages that were added at its end may be
/// in the log only. If one of them is in neither, the file was cut short.
struct LoggedPages {
  private var numbers: Set<Int> = []

  /// Reads the log as SQLite does; nil if `isStopped` says so before the end.
  ///
  /// A read transaction must be open. Frames that others append after the call are not its own, and
  /// are not read: while it is open SQLite cannot begin the log anew, so a busy writer would append
  /// without end.
  ///
  /// A frame counts if it has the salts of the log, if its checksum is right, and if it ends a
  /// transaction or a later frame does. The frames of an older log, which SQLite writes over from its
  /// start, have other salts.
  init?(in log: Path, isStopped: () -> Bool) throws(SystemError) {
    let file = try OpenFile.reading(log)
    let size = Int(try file.facts().size)
    let header = try file.read(32, at: 0)
    guard header.count == 32, var checksum = Self.checksum(ofHeader: header) else { return }
    let pageSize = header.big32(8)
    let salts = header[16..<24]
    let frameSize = 24 + pageSize
    var offset = 32
    var uncommitted: [Int] = []
    while offset + frameSize <= size {
      if isStopped() { return nil }
      let frame = try file.read(frameSize, at: offset)
      guard frame.count == frameSize, frame[8..<16].elementsEqual(salts) else { return }
      checksum.add(frame[..<8])
      checksum.add(frame[24...])
      guard checksum.isWritten(in: frame, at: 16) else { return }
      uncommitted.append(frame.big32(0))
      if frame.big32(4) != 0 {
        numbers.formUnion(uncommitted)
        uncommitted = []
      }
      offset += frameSize
    }
  }

  /// True if the header of a log is wrong, so that SQLite ignores the log.
  ///
  /// It is the first thing in a new log that is on the disk. So zeros are wrong if more than zeros
  /// follow them.
  static func hasWrongHeader(_ log: Path) throws(SystemError) -> Bool {
    let file = try OpenFile.reading(log)
    let header = try file.read(32, at: 0)
    guard header.count == 32 else { return false }
    if header.contains(where: { $0 != 0 }) { return checksum(ofHeader: header) == nil }
    let largestFrame = 24 + 65536
    return try file.read(largestFrame, at: 32).contains { $0 != 0 }
  }

  /// Nil if the header is wrong.
  private static func checksum(ofHeader header: [UInt8]) -> Checksum? {
    let pageSize = header.big32(8)
    var checksum = Checksum(isBigEndian: header.big32(0) & 1 == 1)
    checksum.add(header[..<24])
    guard header.big32(0) & ~1 == 0x377f_0682, (512...65536).contains(pageSize),
      pageSize & (pageSize - 1) == 0, checksum.isWritten(in: header, at: 24)
    else { return nil }
    return checksum
  }

  /// True if the log has every page of a database whose file has only the first pages.
  ///
  /// SQLite never writes the page at one gigabyte, which is for locks.
  func complete(_ first: Int64, of all: Int64, pageSize: Int64) -> Bool {
    let lockPage = 1 << 30 / pageSize + 1
    let missing = all - first - (first < lockPage && lockPage <= all ? 1 : 0)
    return numbers.count { first < Int64($0) && Int64($0) <= all } == missing
  }
}

/// The checksum of a log: two sums of 32-bit numbers.
private struct Checksum {
  let isBigEndian: Bool
  private var sums: (UInt32, UInt32) = (0, 0)

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  /// Adds bytes, whose count is a multiple of eight.
  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
        let first = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let second = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        sums.0 &+= (isBigEndian ? first.bigEndian : first.littleEndian) &+ sums.1
        sums.1 &+= (isBigEndian ? second.bigEndian : second.littleEndian) &+ sums.0
      }
    }
  }

  func isWritten(in bytes: [UInt8], at offset: Int) -> Bool {
    (Int(sums.0), Int(sums.1)) == (bytes.big32(offset), bytes.big32(offset + 4))
  }
}

extension DatabaseFile {
  /// Refuses a log that SQLite ignores, because there may be rows in it, and SQLite writes over it.
  ///
  /// The first look may come while a service begins the log anew.
  func checkLog() throws(UpgradeError) {
    for isLast in [false, true] {
      guard try hasJournal("-wal"), try hasWrongLog() else { return }
      if !isLast { System.sleep(milliseconds: 20) }
    }
    throw .damaged(
      path: shown + "-wal",
      .malformed(
        words: "its header is wrong, so SQLite would lose the rows in it; without this file, the "
          + "database is as it was when the log was last moved into it"))
  }

  private func hasWrongLog() throws(UpgradeError) -> Bool {
    let log = path + "-wal"
    do {
      return try LoggedPages.hasWrongHeader(log)
    } catch {
      // A service may have removed it.
      if error.isNotThere { return false }
      throw UpgradeError(error, at: log)
    }
  }
}
