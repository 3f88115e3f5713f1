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

/// Memory blocks whose size comes from a file, so the machine may not have enough.
package enum Memory {
  /// A block of memory; nil if there is not enough.
  ///
  /// Without enough memory, Swift's own `allocate` ends the process. The corresponding C function
  /// is `malloc`.
  package static func take(_ count: Int) -> UnsafeMutableRawPointer? {
    malloc(max(count, 1))
  }

  /// Frees a block.
  ///
  /// The corresponding C function is `free`.
  package static func giveBack(_ start: UnsafeMutableRawPointer) {
    free(start)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// True if the first bytes of both buffers are the same.
  ///
  /// The corresponding C function is `memcmp`.
  package func begins(as other: UnsafeMutableRawBufferPointer, count: Int) -> Bool {
    guard count > 0 else { return true }
    guard count <= self.count, count <= other.count, let left = baseAddress,
      let right = other.baseAddress
    else { return false }
    return memcmp(left, right, count) == 0
  }
}

/// Files with code that are loaded into this process.
extension System {
  /// The system's words if it cannot load such a file; nil if it can.
  ///
  /// The corresponding C functions are `dlopen` and `dlerror`.
  package static func words(onLoading path: Path) -> String? {
    if let library = path.withCString({ dlopen($0, RTLD_NOW) }) {
      dlclose(library)
      return nil
    }
    guard let words = dlerror().map({ String(cString: $0) }) else { return nil }
    let place = path.shown + ": "
    return words.hasPrefix(place) ? String(words.dropFirst(place.count)) : words
  }
}

extension System {
  /// Sleeps for some milliseconds.
  ///
  /// The corresponding C function is `usleep`.
  package static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }

  /// The current time in UTC, written so that it can be part of a file name: `20261120T134500Z`.
  ///
  /// The corresponding C functions are `time` and `gmtime_r`.
  package static func stamp() -> String {
    text(time(nil)).filter { $0 != "-" && $0 != ":" }
  }

  private static func text(_ seconds: time_t) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date =
      [Int(parts.tm_year) + 1900].map(String.init) + [parts.tm_mon + 1, parts.tm_mday].map(padded)
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(padded)
    return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
  }
}
