/// The kind of signal that asked the process to stop.
package enum StopSignal: Sendable {
  /// `SIGINT`.
  case interrupt
  /// `SIGTERM`, or `SIGHUP` because the terminal is gone.
  case terminate
}
