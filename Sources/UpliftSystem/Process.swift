#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What a process finds as it starts, and how it ends.
extension System {
  /// The words after the program's name, as they were given; they need not be UTF-8.
  package static func arguments() -> [[UInt8]] {
    var arguments: [[UInt8]] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index] else { break }
      let bytes = UnsafeRawPointer(word).assumingMemoryBound(to: UInt8.self)
      arguments.append(Array(UnsafeBufferPointer(start: bytes, count: strlen(word))))
    }
    return arguments
  }

  /// Where a standard file is closed, the next file opened would take its number, and a message
  /// would be written into a database.
  package static func openStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// A write that cannot be done is an error, not the end of the process: into a pipe whose reader
  /// is gone, or beyond the limit of a file's size (`ulimit -f`, `LimitFSIZE=`).
  package static func ignoreSignalsOfWriting() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  package static func end(_ code: Int32) -> Never {
    exit(code)
  }

  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
