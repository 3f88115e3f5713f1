#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Standard output and standard error.
package enum Stream: Int32 {
  case output = 1
  case error = 2

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The columns of the terminal; nil where it does not say.
  package var width: Int? {
    // `struct winsize` is four of these: rows, columns, and two that nobody fills in.
    var size: [UInt16] = [0, 0, 0, 0]
    let result = size.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(rawValue, UInt(TIOCGWINSZ), $0) } ?? -1
    }
    guard result == 0, size[1] > 0 else { return nil }
    return Int(size[1])
  }

  /// Writes all of a text, however often it takes.
  package func write(_ text: String) throws(SystemError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(rawValue, $0) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        // Whoever shares the descriptor made it non-blocking.
        var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        throw .latest
      }
    }
  }

  private func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(file, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
  }
}
