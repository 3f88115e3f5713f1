internal import CUpliftSystem
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension System {
  /// The arguments after the program's name, as bytes in any encoding; nil if `/proc` is not
  /// mounted, from which Swift reads them.
  package static func arguments() -> [[UInt8]]? {
    guard CommandLine.argc > 0 else { return nil }
    let words = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
    return words.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  /// Opens `/dev/null` for each standard file that is closed: otherwise the next file that is
  /// opened gets its number, and a message could be written into the database.
  package static func openStandardFiles() {
    for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Turns the signals of a failed write, which end the process, into errors of the write.
  ///
  /// `SIGPIPE` comes if the reader of a pipe is gone. `SIGXFSZ` comes if a file reaches its size
  /// limit (`ulimit -f`, `LimitFSIZE=`).
  package static func ignoreSignalsOfWriting() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  package static func end(_ code: Int32) -> Never {
    exit(code)
  }

  /// The value of an environment variable; nil if it is not set.
  package static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The system's words if it cannot load a file with code into this process; nil if it can.
  package static func words(onLoading path: Path) -> String? {
    if let library = dlopen(path.cString, RTLD_NOW) {
      dlclose(library)
      return nil
    }
    guard let words = dlerror().map({ String(cString: $0) }) else { return nil }
    let place = path.shown + ": "
    return words.hasPrefix(place) ? String(words.dropFirst(place.count)) : words
  }

  package static func sleep(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
  }

  /// The current time in UTC, written so that it can be part of a file name: `20261120T134500Z`.
  package static func stamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(Int(parts.tm_year) + 1900)" + padded(parts.tm_mon + 1) + padded(parts.tm_mday)
    return date + "T" + padded(parts.tm_hour) + padded(parts.tm_min) + padded(parts.tm_sec) + "Z"
  }
}

/// Standard output and standard error.
package enum Stream: Int32 {
  case output = 1
  case error = 2

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// The number of columns of the terminal; nil if it is not known.
  package var width: Int? {
    // `struct winsize` has four numbers: rows, columns, and two that are not used.
    var size: [UInt16] = [0, 0, 0, 0]
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size[1] > 0 else { return nil }
    return Int(size[1])
  }

  /// False if a write would wait: nobody reads the pipe, or the terminal was stopped (Ctrl-S).
  package var isReady: Bool { pollResult(waiting: 0) != 0 }

  /// Writes all of a text.
  ///
  /// It waits until somebody takes the text, but at most a second after a signal that asks to stop.
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
      let count = pollResult(waiting: 200)
      if count > 0 || count < 0 && errno != EINTR { return }
      guard StopSignals.first != nil else { continue }
      waitsLeft -= 1
      if waitsLeft == 0 { throw SystemError(code: EINTR) }
    }
  }

  /// What `poll` answers after at most some milliseconds: 1, or 0 if a write would wait.
  private func pollResult(waiting milliseconds: Int32) -> Int32 {
    var ready = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    return poll(&ready, 1, milliseconds)
  }
}

/// The kind of signal that asked the process to stop.
package enum StopSignal: Sendable {
  /// `SIGINT`.
  case interrupt
  /// `SIGTERM`, or `SIGHUP` because the terminal is gone.
  case terminate
}

/// The first signal that asked to stop, or 0; a signal handler may touch nothing else.
private let received = Atomic<Int32>(0)

/// The signals that ask an upgrade to stop: `SIGINT`, `SIGTERM` and `SIGHUP`.
package enum StopSignals {
  /// The signal that asked first; nil if none did.
  package static var first: StopSignal? {
    switch received.load(ordering: .relaxed) {
    case 0: nil
    case SIGINT: .interrupt
    default: .terminate
    }
  }

  /// Begins to listen.
  ///
  /// A signal that was ignored when the process started stays ignored (`nohup`). A signal that was
  /// blocked is unblocked, because a process inherits the mask, usually by accident. Of two signals
  /// that arrive together, the handler of the first ends before that of the second begins.
  package static func listen() {
    // Swift initializes a global at its first use. That must not happen in a handler.
    _ = received.load(ordering: .relaxed)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    let handler: @convention(c) (Int32) -> Void = { number in
      _ = received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
    }
    for number in numbers { uplift_handle_signal(number, handler, signals) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // Otherwise Swift's runtime prints a backtrace at SIGQUIT, and the program goes on.
    signal(SIGQUIT, SIG_DFL)
  }
}

/// Work on a thread of its own; if the system has no thread left, `wait` does it.
package final class BackgroundWork<Result: Sendable> {
  private let work: @Sendable () -> Result
  /// The thread writes it, and `wait` reads it after the thread has ended.
  private var result: Result?
  private var thread: pthread_t?

  package init(_ work: @escaping @Sendable () -> Result) {
    self.work = work
    let context = Unmanaged.passRetained(Runner { self.result = work() })
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // Musl and Darwin give a thread much less than the main thread has.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    #if canImport(Darwin)
      var made: pthread_t?
    #else
      var made = pthread_t()
    #endif
    let code = pthread_create(&made, &attributes, { run($0) }, context.toOpaque())
    if code == 0 { thread = made } else { context.release() }
  }

  /// Does some work on a thread that nobody waits for.
  package static func start(_ work: @escaping @Sendable () -> Result) {
    let started = BackgroundWork(work)
    if let thread = started.thread { pthread_detach(thread) } else { _ = work() }
  }

  /// Waits for the end of the work, and returns its result.
  package func wait() -> Result {
    if let thread { pthread_join(thread, nil) }
    thread = nil
    return result ?? work()
  }
}

/// A closure that a C function can be handed.
private final class Runner {
  let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
  }
}

private func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<Runner>.fromOpaque(context).takeRetainedValue().body() }
  return nil
}
