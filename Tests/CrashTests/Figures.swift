import Foundation
import Synchronization

/// How many cases a suite tries, and the figures that it prints.
enum Figures {
  private static let environment = ProcessInfo.processInfo.environment

  /// True for `Scripts/prove`.
  static let isDeep = environment["UPLIFT_DEEP"] != nil

  /// True if all workloads are tried: for `Scripts/prove`, and for a mutant.
  static let isComplete = isDeep || environment["UPLIFT_MUTANT", default: "0"] != "0"

  /// True if all mutants of `Scripts/mutants` are off.
  static let isControl = environment["UPLIFT_MUTANT"] == "0"

  /// The number of the day: `Scripts/test` tries other workloads each day.
  static let today = Int(Date().timeIntervalSince1970) / 86400

  /// True if a mutant of `Scripts/mutants` was noticed: one failure is enough.
  static func isEnough(_ complaints: [String]) -> Bool {
    guard environment["UPLIFT_MUTANT"] != nil else { return false }
    if !complaints.isEmpty { isCaught.store(true, ordering: .relaxed) }
    return isCaught.load(ordering: .relaxed)
  }

  private static let isCaught = Atomic(false)

  /// The seed of the random numbers; `UPLIFT_SEED` repeats a run.
  static let seed = environment["UPLIFT_SEED"].flatMap { UInt64($0) } ?? 1

  /// Prints one line for the log, from which `Scripts/prove` collects the figures.
  static func report(_ suite: String, _ words: String) {
    print("figures: \(suite): \(words)")
  }

  static func choose(_ shallow: Int, deep: Int) -> Int { isDeep ? deep : shallow }
}
