internal import UpliftSystem

/// The pages that a write-ahead log holds, by their numbers (sqlite.org/fileformat2.html, section 4).
///
/// A database with a log may be shorter than it should be: pages that were added at its end may be
/// in the log only. If one of them is in neither, the file was cut short.
struct LoggedPages {
  private var numbers: Set<UInt32> = []

  /// Reads the header of each frame of the log.
  ///
  /// When all pages of the log are in the database, SQLite writes the log from its start again. The
  /// frames of the old log that follow have other salts, and do not count. Checksums are not
  /// compared, so a frame that was written in part counts, too.
  init(in log: Path) throws(SystemError) {
    let file = try OpenFile.reading(log)
    let header = try Self.numbers(8, in: file, at: 0)
    guard header.count == 8 else { return }
    let (pageSize, salts) = (Int(header[2]), header[4...5])
    var offset = 32
    while true {
      let frame = try Self.numbers(6, in: file, at: offset)
      guard frame.count == 6, frame[2...3].elementsEqual(salts) else { return }
      numbers.insert(frame[0])
      offset += 24 + pageSize
    }
  }

  /// True if the log has every page of a database whose file has only the first pages.
  ///
  /// SQLite never writes the page at one gigabyte, which is for locks.
  func complete(_ first: Int64, of all: Int64, pageSize: Int64) -> Bool {
    let lockPage = 1 << 30 / pageSize + 1
    let missing = all - first - (first < lockPage && lockPage <= all ? 1 : 0)
    return numbers.count { first < Int64($0) && Int64($0) <= all } == missing
  }

  /// Reads big-endian numbers of 32 bits; fewer if the file ends.
  private static func numbers(
    _ count: Int, in file: borrowing OpenFile, at offset: Int
  ) throws(SystemError) -> [UInt32] {
    let bytes = try file.read(4 * count, at: offset)
    return stride(from: 0, to: bytes.count - 3, by: 4).map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }
}
