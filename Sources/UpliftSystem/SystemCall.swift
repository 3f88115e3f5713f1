#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Calls a C function until no signal interrupts it, and returns its result.
///
/// The function reports a failure by a negative result. After `EINTR` it is called again. Any other
/// error is thrown.
func repeatingIfInterrupted<Result: SignedInteger>(
  _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = SystemError.latest
    guard error.isInterrupted else { throw error }
  }
}

/// Calls a function that may move fewer bytes than it is asked to, until `count` bytes are moved.
///
/// The function gets the number of bytes that are moved already, and returns how many it moved. If
/// it moves none, the result is less than `count`.
func movingAll(
  _ count: Int, _ moveSome: (_ moved: Int) throws(SystemError) -> Int
) throws(SystemError) -> Int {
  var moved = 0
  while moved < count {
    let more = try moveSome(moved)
    if more == 0 { break }
    moved += more
  }
  return moved
}

/// Reads at most as many bytes as the buffer holds; 0 at the end of the file.
///
/// The corresponding C function is `read`.
func readSome(
  _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
) throws(SystemError) -> Int {
  try repeatingIfInterrupted { read(file, buffer.baseAddress, buffer.count) }
}

/// Writes at most the bytes of the buffer, and returns how many it wrote.
///
/// The corresponding C function is `write`.
func writeSome(_ file: Int32, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
  try repeatingIfInterrupted { write(file, buffer.baseAddress, buffer.count) }
}
