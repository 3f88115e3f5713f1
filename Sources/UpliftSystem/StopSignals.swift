#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Synchronization

/// Why the process was asked to stop; a terminal that is gone counts as asking to terminate.
package enum StopSignal: Sendable {
  case interrupt, terminate
}

/// The first signal that asked to stop; all that a handler may touch.
private let received = Atomic<Int32>(0)

/// The signals that ask an upgrade to stop.
package enum StopSignals {
  package static var latest: StopSignal? {
    switch received.load(ordering: .relaxed) {
    case 0: nil
    case SIGINT: .interrupt
    default: .terminate
    }
  }

  /// A signal that whoever started the process has it ignore (`nohup`) stays ignored; one that
  /// is blocked does not, for that is an accident: a thread's mask is handed down unasked.
  package static func listen() {
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
    // Swift's runtime prints a backtrace at SIGQUIT and lets the program go on.
    signal(SIGQUIT, SIG_DFL)
  }
}
