/// The bytes of a script, once, with a zero byte behind them for SQLite to stop at.
///
/// Written while it is made, never after.
final class ScriptBytes: @unchecked Sendable {
  let count: Int
  private let storage: UnsafeMutablePointer<UInt8>

  /// Room for so many bytes, which `fill` writes; it returns how many it wrote.
  init<Failure: Error>(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    storage = .allocate(capacity: capacity + 1)
    do {
      count = try fill(UnsafeMutableRawBufferPointer(start: storage, count: capacity))
    } catch {
      storage.deallocate()
      throw error
    }
    storage[count] = 0
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

  /// Line and column of a byte, from 1: a tab is one column, and so is any character.
  func place(of offset: Int) -> (line: Int, column: Int) {
    let head = buffer[..<min(offset, count)]
    let lineStart = head.lastIndex(of: 0x0a).map { $0 + 1 } ?? textStart
    let line = head.reduce(1) { $0 + ($1 == 0x0a ? 1 : 0) }
    let column = head[lineStart...].reduce(1) { $0 + ($1 & 0xc0 == 0x80 ? 0 : 1) }
    return (line, column)
  }

  /// The whole line in which a byte lies, without its end.
  func line(at offset: Int) -> String {
    let offset = min(offset, count)
    let start = buffer[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? textStart
    let end = buffer[offset...].firstIndex { $0 == 0x0a || $0 == 0x0d } ?? count
    return String(decoding: buffer[min(start, end)..<end], as: UTF8.self)
  }

  /// Behind the byte-order mark, where there is one.
  var textStart: Int { buffer.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0 }
}
