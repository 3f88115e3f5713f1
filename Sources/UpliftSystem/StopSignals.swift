#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import Synchronization

/// The number of the first signal that asked to stop; 0 before.
///
/// A signal handler may touch nothing else.
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
  /// blocked is unblocked, because a process inherits the mask, usually by accident. The
  /// corresponding C functions are `signal` and `pthread_sigmask`.
  package static func listen() {
    // Swift initializes a global at its first use. That must not happen in a handler.
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
    // At SIGQUIT Swift's runtime prints a backtrace, and the program goes on.
    signal(SIGQUIT, SIG_DFL)
  }
}
