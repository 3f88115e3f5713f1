internal import UpliftSystem

/// The bytes of a script, with a zero byte after them, because SQLite stops at a zero byte.
///
/// Nothing changes the bytes after `init`, so threads can share them. They are copied from the file
/// and not mapped into memory. So the text that was checked is the text that runs, and a file that
/// another process cuts short does not end this process with `SIGBUS`.
final class ScriptBytes: @unchecked Sendable {
  let count: Int
  private let storage: UnsafeMutablePointer<UInt8>

  /// Takes over memory from `room(for:)`, of which `count` bytes are written.
  private init(_ storage: UnsafeMutablePointer<UInt8>, count: Int) {
    self.storage = storage
    self.count = count
    (storage + count).initialize(to: 0)
  }

  /// Makes room for `capacity` bytes and calls `fill`, which writes them and returns their number.
  ///
  /// Nil if there is not enough memory.
  static func make<Failure: Error>(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> ScriptBytes? {
    guard let storage = room(for: capacity) else { return nil }
    do {
      let count = try fill(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
      return ScriptBytes(storage, count: count)
    } catch {
      Memory.giveBack(storage)
      throw error
    }
  }

  convenience init(_ text: String) {
    self.init(text.utf8)
  }

  convenience init(_ bytes: some Collection<UInt8>) {
    guard let storage = Self.room(for: bytes.count) else {
      preconditionFailure("no memory for a text of the program's own")
    }
    UnsafeMutableRawBufferPointer(start: storage, count: bytes.count).copyBytes(from: bytes)
    self.init(storage, count: bytes.count)
  }

  private static func room(for count: Int) -> UnsafeMutablePointer<UInt8>? {
    let (size, isTooLarge) = count.addingReportingOverflow(1)
    guard !isTooLarge else { return nil }
    return Memory.take(size)?.bindMemory(to: UInt8.self, capacity: size)
  }

  deinit {
    Memory.giveBack(storage)
  }

  var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  /// Lends the text to a C function, up to the zero byte after it.
  func withText<Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Void
  ) throws(Failure) {
    try UnsafePointer(storage).withMemoryRebound(to: CChar.self, capacity: count + 1, body)
  }

  /// True if the text contains a word in upper or lower case.
  ///
  /// `word` is in lower case, and may contain any byte.
  func mentions(_ word: some Sequence<UInt8>) -> Bool {
    let word = Array(word)
    guard let first = word.first, word.count <= count else { return false }
    let bit: UInt8 = 0x20
    for start in 0...(count - word.count) where storage[start] | bit == first | bit {
      if word.indices.allSatisfy({ Self.folded(storage[start + $0]) == word[$0] }) { return true }
    }
    return false
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    (0x41...0x5a).contains(byte) ? byte | 0x20 : byte
  }

  /// The offset of the first character, after the byte-order mark if there is one.
  var textStart: Int { buffer.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0 }
}
