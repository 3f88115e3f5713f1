/// The pages of a database that hold its schema, byte for byte.
///
/// If SQLite can read the schema of one database, it can also read the schema of any database whose
/// schema pages are equal. Comparing a few pages takes much less time than reading a schema.
package struct SchemaPages: Sendable {
  private struct Page {
    /// From 1.
    let number: Int
    let bytes: [UInt8]
  }

  private var pages: [Page] = []
  private let size: Int
  /// The size of the database in pages: its schema names no page beyond that.
  private let count: Int
  /// A schema with more pages is not kept.
  private static let most = 64

  /// Takes the pages of a schema that SQLite has read without an error.
  ///
  /// The connection holds a read lock, and the database has no write-ahead log. Nil if the pages
  /// are many, or not as expected.
  package init?(of connection: borrowing Connection) {
    guard let header = connection.fileBytes(at: 0, count: 100), let count = header.pageCount,
      header[18] == 1, header[19] == 1
    else { return nil }
    size = header.pageSize
    self.count = count
    guard add(1, depth: 0, connection) else { return nil }
  }

  /// True if a database has the same schema on the same pages.
  ///
  /// The connection holds a read lock, and the database has no write-ahead log. `fileSize` is the
  /// size of the file, which must have all pages of the database.
  package func areIn(_ connection: borrowing Connection, fileSize: Int64) -> Bool {
    for page in pages {
      guard let bytes = connection.fileBytes(at: (page.number - 1) * size, count: size) else {
        return false
      }
      guard page.number == 1 else {
        if bytes.isSame(as: page.bytes) { continue }
        return false
      }
      guard let count = bytes.pageCount, count >= self.count, fileSize >= Int64(count * size),
        Self.withoutCounters(bytes).isSame(as: page.bytes)
      else { return false }
    }
    return true
  }

  /// The first page without the parts of the header that say nothing about the schema: counters,
  /// sizes, and the numbers that belong to the application.
  private static func withoutCounters(_ page: [UInt8]) -> [UInt8] {
    var page = page
    for range in [24..<44, 60..<100] { for index in range { page[index] = 0 } }
    return page
  }
}

/// The tree of the table `sqlite_master` (sqlite.org/fileformat2.html, section 1.6).
extension SchemaPages {
  /// Adds a page of the tree and those below it; false if it is not as expected.
  private mutating func add(
    _ number: Int, depth: Int, _ connection: borrowing Connection
  ) -> Bool {
    guard depth < 20, let page = take(number, connection) else { return false }
    let start = number == 1 ? 100 : 0
    let isLeaf = page[start] == 13
    guard isLeaf || page[start] == 5 else { return false }
    let cells = start + (isLeaf ? 8 : 12)
    for index in 0..<page.big16(start + 3) {
      guard cells + 2 * index + 2 <= size else { return false }
      let cell = page.big16(cells + 2 * index)
      guard cell >= cells, cell + 22 <= size || isLeaf && cell + 4 <= size else { return false }
      let isAdded =
        isLeaf
        ? addOverflow(of: page, cell, connection)
        : add(page.big32(cell), depth: depth + 1, connection)
      guard isAdded else { return false }
    }
    return isLeaf || add(page.big32(start + 8), depth: depth + 1, connection)
  }

  /// Adds the pages that hold the rest of a long row.
  private mutating func addOverflow(
    of page: [UInt8], _ cell: Int, _ connection: borrowing Connection
  ) -> Bool {
    var offset = cell
    guard let payload = page.varint(&offset), page.varint(&offset) != nil else { return false }
    let usable = size - Int(pages[0].bytes[20])
    guard payload > usable - 35 else { return true }
    let least = (usable - 12) * 32 / 255 - 23
    let some = least + (payload - least) % (usable - 4)
    offset += some <= usable - 35 ? some : least
    guard offset + 4 <= size else { return false }
    var next = page.big32(offset)
    while next != 0 {
      guard let page = take(next, connection) else { return false }
      next = page.big32(0)
    }
    return true
  }

  /// Reads a page and keeps it; nil if that fails, or if there are too many.
  private mutating func take(_ number: Int, _ connection: borrowing Connection) -> [UInt8]? {
    guard number > 0, number <= count, pages.count < Self.most,
      let page = connection.fileBytes(at: (number - 1) * size, count: size)
    else { return nil }
    pages.append(
      Page(number: number, bytes: number == 1 ? Self.withoutCounters(page) : page))
    return page
  }
}

extension [UInt8] {
  /// A number of one to eight bytes; nil if it is longer, or if the page ends first.
  fileprivate func varint(_ offset: inout Int) -> Int? {
    var value = 0
    for _ in 0..<8 {
      guard offset < count else { return nil }
      let byte = self[offset]
      offset += 1
      value = value << 7 | Int(byte & 0x7f)
      if byte < 0x80 { return value }
    }
    return nil
  }
}
