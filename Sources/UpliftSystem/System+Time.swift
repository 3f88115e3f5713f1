#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

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
