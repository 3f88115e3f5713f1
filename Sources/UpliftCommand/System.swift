// The one file of the command that calls the operating system.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Synchronization

/// What the operating system answered to a call that failed.
struct SystemError: Error, Hashable {
  let code: Int32

  static var latest: SystemError { SystemError(code: errno) }

  var words: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  var isNotThere: Bool { code == ENOENT }
  var isNotADirectory: Bool { code == ENOTDIR }
  var isDenied: Bool { code == EACCES || code == EPERM }
}

enum System {
  /// The words behind the program's name; nil where one of them is not UTF-8, and would name
  /// another file when it is repaired.
  static func arguments() -> [String]? {
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
  static func openStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// A reader who is gone must not stop an upgrade: writing says so instead.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  static func end(_ code: ExitCode) -> Never {
    exit(code.rawValue)
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The names in a directory, in no order.
  static func names(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw .latest }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { characters in
        characters.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      names.append(name)
      errno = 0
    }
    guard errno == 0 else { throw .latest }
    return names
  }
}

/// Standard output and standard error.
enum Stream: Int32 {
  case output = 1
  case error = 2

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The columns of the terminal; nil where it does not say.
  var width: Int? {
    // `struct winsize` is four of these: rows, columns, and two that nobody fills in.
    var size: [UInt16] = [0, 0, 0, 0]
    let result = size.withUnsafeMutableBytes { buffer in
      buffer.baseAddress.map { ioctl(rawValue, UInt(TIOCGWINSZ), $0) } ?? -1
    }
    guard result == 0, size[1] > 0 else { return nil }
    return Int(size[1])
  }

  /// Writes all of a text, however often it takes.
  func write(_ text: String) throws(SystemError) {
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

/// The first signal that asked to stop; all that a handler may touch.
private let received = Atomic<Int32>(0)

/// The signals that ask an upgrade to stop.
enum StopSignals {
  static var latest: StopSignal? {
    switch received.load(ordering: .relaxed) {
    case 0: nil
    case SIGINT: .interrupt
    default: .terminate
    }
  }

  /// A signal that whoever started the process has it ignore (`nohup`) stays ignored; one that
  /// is blocked does not, for that is an accident: a thread's mask is handed down unasked.
  static func listen() {
    // A global is made when it is first used, which must not be in a handler.
    _ = received.load(ordering: .relaxed)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sigaddset(&blocked, number)
      let before = signal(number) { number in
        _ = received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
      }
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        signal(number, SIG_IGN)
      }
    }
    pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
  }
}
