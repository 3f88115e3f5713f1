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

  /// True if the stream is connected to a terminal.
  ///
  /// The corresponding C function is `isatty`.
  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The number of columns of the terminal; nil if it is not known.
  ///
  /// The corresponding C function is `ioctl` with `TIOCGWINSZ`.
  package var width: Int? {
    // `struct winsize` has four numbers: rows, columns, and two that are not used.
    var size: [UInt16] = [0, 0, 0, 0]
    let result = size.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(rawValue, UInt(TIOCGWINSZ), $0) } ?? -1
    }
    guard result == 0, size[1] > 0 else { return nil }
    return Int(size[1])
  }

  /// False if a write would wait: nobody reads the pipe, or the terminal was stopped (Ctrl-S).
  ///
  /// The corresponding C function is `poll`.
  package var isReady: Bool {
    var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    return poll(&ready, 1, 0) != 0
  }

  /// Writes all of a text.
  ///
  /// Another process that shares the descriptor may have made it non-blocking. In this case the
  /// call waits until it can write. The corresponding C functions are `write` and `poll`.
  package func write(_ text: String) throws(SystemError) {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      // `withUnsafeBytes` of an array does not pass on the type of an error.
      let result = left.withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try writeSome(rawValue, buffer) }
      }
      do {
        left = left.dropFirst(try result.get())
      } catch  where error.wouldBlock {
        var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      }
    }
  }
}
