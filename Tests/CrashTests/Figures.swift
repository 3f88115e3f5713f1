import Foundation

/// How deep to go, and what came out.
enum Figures {
  private static let environment = ProcessInfo.processInfo.environment

  /// True for `Scripts/prove`.
  static let isDeep = environment["UPLIFT_DEEP"] != nil

  /// After how many failures a suite has seen enough: for a mutant one will do.
  static let mostComplaints = environment["UPLIFT_CRASH_HELPER"] == nil ? .max : 1

  /// Where random numbers begin; `UPLIFT_SEED` makes a run again.
  static let seed = environment["UPLIFT_SEED"].flatMap { UInt64($0) } ?? 1

  /// One line for the log of the run: `Scripts/prove` gathers them.
  static func report(_ suite: String, _ words: String) {
    print("figures: \(suite): \(words)")
  }

  static func choose(_ shallow: Int, deep: Int) -> Int { isDeep ? deep : shallow }
}
