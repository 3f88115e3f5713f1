#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What a process finds as it starts, and how it ends.
extension System {
  /// The words behind the program's name; nil where one of them is not UTF-8, and would name
  /// another file when it is repaired.
  package static func arguments() -> [String]? {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let word = CommandLine.unsafeArgv[index] else { break }
      guard let argument = String(validatingCString: word) else { return nil }
      arguments.append(argument)
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
