#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The start and the end of the process.
extension System {
  /// The arguments after the program's name, as bytes: they need not be UTF-8.
  ///
  /// Nil if they are not known: Swift reads them from `/proc`, which need not be mounted.
  package static func arguments() -> [[UInt8]]? {
    guard CommandLine.argc > 0 else { return nil }
    var arguments: [[UInt8]] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index] else { break }
      let bytes = UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self)
      arguments.append(Array(UnsafeBufferPointer(start: bytes, count: strlen(word))))
    }
    return arguments
  }

  /// Opens `/dev/null` for each standard file that is closed.
  ///
  /// Otherwise the next file that is opened gets the number of a standard file, and a message could
  /// be written into the database. The corresponding C functions are `fcntl` and `open`.
  package static func openStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Turns the two signals that a failed write raises into errors of the write; otherwise they end
  /// the process.
  ///
  /// `SIGPIPE` comes if the reader of a pipe is gone. `SIGXFSZ` comes if a file reaches its size
  /// limit (`ulimit -f`, `LimitFSIZE=`). The corresponding C function is `signal`.
  package static func ignoreSignalsOfWriting() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Ends the process.
  ///
  /// The corresponding C function is `exit`.
  package static func end(_ code: Int32) -> Never {
    exit(code)
  }

  /// The value of an environment variable; nil if it is not set.
  ///
  /// The corresponding C function is `getenv`.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The bytes of an environment variable, which need not be UTF-8; nil if it is not set.
  ///
  /// The corresponding C function is `getenv`.
  package static func environmentBytes(_ name: String) -> [UInt8]? {
    getenv(name).map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  /// The bytes that this process has written so far, to files, pipes and terminals; nil if the
  /// system does not say it.
  ///
  /// They count when they are written, not when they reach the disk (`man 5 proc`, `wchar`).
  package static func bytesWritten() -> UInt64? {
    do {
      let text = try OpenFile.reading(Path("/proc/self/io")).readStart(4096)
      for line in text.split(separator: UInt8(ascii: "\n")) {
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.first.map({ $0.elementsEqual("wchar:".utf8) }) == true else { continue }
        return words.last.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
      }
    } catch {
      return nil
    }
    return nil
  }
}
