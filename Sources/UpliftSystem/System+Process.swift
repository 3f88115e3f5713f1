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
}
