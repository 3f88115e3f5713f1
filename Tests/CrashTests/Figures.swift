import Foundation

/// How many cases a suite tries, and the figures that it prints.
enum Figures {
  private static let environment = ProcessInfo.processInfo.environment

  /// True for `Scripts/prove`.
  static let isDeep = environment["UPLIFT_DEEP"] != nil

  /// The number of the day: `Scripts/test` tries other workloads each day.
  ///
  /// `UPLIFT_DAY` chooses a day.
  static let today =
    environment["UPLIFT_DAY"].flatMap { Int($0) } ?? Int(Date().timeIntervalSince1970) / 86400

  /// The seed of the random numbers; `UPLIFT_SEED` repeats a run.
  static let seed = environment["UPLIFT_SEED"].flatMap { UInt64($0) } ?? 1

  /// Prints one line for the log, from which `Scripts/prove` collects the figures.
  static func report(_ suite: String, _ words: String) {
    print("figures: \(suite): \(words)")
  }

  static func choose(_ shallow: Int, deep: Int) -> Int { isDeep ? deep : shallow }
}
