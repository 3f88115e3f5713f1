/// The bytes of a script, once, with a zero byte behind them for SQLite to stop at.
///
/// Written while it is made, never after. Copied out of the file rather than mapped: what has been
/// checked is what runs, and a file that is cut short meanwhile ends no process.
final class ScriptBytes: @unchecked Sendable {
  let count: Int
  private let storage: UnsafeMutablePointer<UInt8>
  /// Zeros behind the text, room for a block of which none is in it.
  private static let margin = 16

  /// Room for so many bytes, which `fill` writes; it returns how many it wrote.
  init<Failure: Error>(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    storage = .allocate(capacity: capacity + Self.margin)
    do {
      count = try fill(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    } catch {
      storage.deallocate()
      throw error
    }
    (storage + count).initialize(repeating: 0, count: Self.margin)
  }

  convenience init(_ text: String) {
    self.init(text.utf8)
  }

  convenience init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { room in
      room.copyBytes(from: bytes)
      return bytes.count
    }
  }

  deinit {
    storage.deallocate()
  }

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  /// The text as SQLite reads it, up to the zero byte behind it.
  func withText<Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Void
  ) throws(Failure) {
    try UnsafePointer(storage).withMemoryRebound(to: CChar.self, capacity: count + 1, body)
  }

  /// True when a word, in lower case, is somewhere in the text, in any case.
  func mentions(_ word: String) -> Bool {
    let word = Array(word.utf8)
    guard let first = word.first else { return false }
    var start = 0
    while true {
      start = buffer.firstIndex(from: start) { index in
        buffer.block(at: index) | ByteBlock(repeating: 0x20) .== ByteBlock(repeating: first)
      }
      guard start <= count - word.count else { return false }
      if word.indices.allSatisfy({ storage[start + $0] | 0x20 == word[$0] }) { return true }
      start += 1
    }
  }

  /// Behind the byte-order mark, where there is one.
  var textStart: Int { buffer.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0 }
}
