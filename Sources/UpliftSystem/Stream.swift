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
  /// It waits until somebody takes the text, but no longer than a second after a signal that asks to
  /// stop. The corresponding C functions are `write` and `poll`.
  package func write(_ text: String) throws(SystemError) {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      try waitUntilReady()
      // A pipe that is ready takes so many bytes at once.
      let piece = left.prefix(4096)
      // `withUnsafeBytes` of an array does not pass on the type of an error.
      let result = piece.withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try writeSome(rawValue, buffer) }
      }
      do {
        left = left.dropFirst(try result.get())
      } catch  where error.wouldBlock {
        // Another process that shares the descriptor has made it non-blocking, and was faster.
      }
    }
  }

  /// A signal does not end a `write` that waits, so a full pipe would keep the process for ever.
  private func waitUntilReady() throws(SystemError) {
    var waitsLeft = 5
    while true {
      var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
      let count = poll(&ready, 1, 200)
      if count > 0 || count < 0 && errno != EINTR { return }
      guard StopSignals.first != nil else { continue }
      waitsLeft -= 1
      if waitsLeft == 0 { throw SystemError(code: EINTR) }
    }
  }
}
