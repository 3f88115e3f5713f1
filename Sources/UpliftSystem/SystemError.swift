#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The error that a call of the operating system reported.
package struct SystemError: Error, Hashable {
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  /// The error of the latest call that failed, from `errno`.
  package static var latest: SystemError { SystemError(code: errno) }

  /// The system's own words.
  package var words: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  package var isInterrupted: Bool { code == EINTR }
  package var wouldBlock: Bool { code == EAGAIN || code == EWOULDBLOCK }
  package var isNotThere: Bool { code == ENOENT }
  package var isTaken: Bool { code == EEXIST }
  package var isNotADirectory: Bool { code == ENOTDIR }
  package var isDirectory: Bool { code == EISDIR }
  /// The file is a socket or a device without a driver, so it cannot be opened.
  package var isSocketOrDevice: Bool { code == ENXIO || code == ENODEV }
  package var isLinkLoop: Bool { code == ELOOP }
  package var isNameTooLong: Bool { code == ENAMETOOLONG }
  package var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }
  package var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  package var isDiskFailure: Bool { code == EIO || code == ENOSPC || code == EDQUOT }
  /// The file system does not support the call, or does not support it for these files.
  package var isUnsupported: Bool {
    // On Darwin, ENOTSUP is not the same number as EOPNOTSUPP.
    [ENOSYS, EINVAL, EOPNOTSUPP, ENOTSUP, ENOTTY, EXDEV, EPERM, ENOLCK, EBADF].contains(code)
  }
}

/// Calls a C function until no signal interrupts it; a negative result is thrown as an error.
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

/// Calls a function that may move fewer bytes than it is asked to, until `count` bytes are moved or
/// it moves none; returns how many were moved.
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

func readSome(
  _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
) throws(SystemError) -> Int {
  try repeatingIfInterrupted { read(file, buffer.baseAddress, buffer.count) }
}

func writeSome(_ file: Int32, _ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int {
  try repeatingIfInterrupted { write(file, buffer.baseAddress, buffer.count) }
}
