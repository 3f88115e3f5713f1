internal import UpliftSQLite
internal import UpliftSystem

extension Seed {
  /// True if the file of a database has the seed's bytes behind the header.
  ///
  /// The headers may differ: SQLite counts the changes there, and it copies the seed into an empty
  /// database. The caller holds a lock, and the database has no log.
  func isContent(of connection: borrowing Connection, size: Int64) -> Bool {
    switch source {
    case .bytes(let bytes):
      guard Int64(bytes.count) == size else { return false }
      var rest = bytes[...]
      return connection.hasContent { buffer in
        let count = min(buffer.count, rest.count)
        buffer.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
      }
    case .file(let path):
      do {
        let file = try OpenFile.reading(path)
        guard try file.facts().size == size else { return false }
        return connection.hasContent { buffer in try? file.read(into: buffer) }
      } catch {
        // The upgrade itself says what is wrong with the seed.
        return false
      }
    }
  }
}

extension Connection {
  /// Compares the file of the database with another one, which `read` reads piece by piece.
  ///
  /// `read` fills the buffer and returns the number of bytes; nil if it cannot read.
  fileprivate borrowing func hasContent(
    _ read: (UnsafeMutableRawBufferPointer) -> Int?
  ) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while true {
      guard let count = read(buffer) else { return false }
      if count == 0 { return true }
      guard let own = fileBytes(at: offset, count: count) else { return false }
      let start = offset == 0 ? 100 : 0
      guard own.dropFirst(start).elementsEqual(buffer[start..<count]) else { return false }
      offset += count
    }
  }
}
