#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif
internal import CUpliftSystem
internal import Synchronization

/// The kind of signal that asked the process to stop.
package enum StopSignal: Sendable {
  /// `SIGINT`.
  case interrupt
  /// `SIGTERM`, or `SIGHUP` because the terminal is gone.
  case terminate
}

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
  /// blocked is unblocked, because a process inherits the mask, usually by accident. Of two signals
  /// that arrive together, the handler of the first ends before that of the second begins. The
  /// corresponding C functions are `sigaction` and `pthread_sigmask`.
  package static func listen() {
    // Swift initializes a global at its first use. That must not happen in a handler.
    _ = received.load(ordering: .relaxed)
    let numbers = [SIGINT, SIGTERM, SIGHUP]
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    for number in numbers {
      uplift_handle_signal(
        number,
        { number in _ = received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
        },
        signals)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // Otherwise Swift's runtime prints a backtrace at SIGQUIT, and the program goes on.
    signal(SIGQUIT, SIG_DFL)
  }
}
