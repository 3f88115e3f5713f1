import Foundation
import Synchronization

/// How deep to go, and what came out.
enum Figures {
  private static let environment = ProcessInfo.processInfo.environment

  /// True for `Scripts/prove`.
  static let isDeep = environment["UPLIFT_DEEP"] != nil

  /// True when there is no need to go on: one failure, in any suite, is enough of a mutant.
  static func isEnough(_ complaints: [String]) -> Bool {
    guard environment["UPLIFT_CRASH_HELPER"] != nil else { return false }
    if !complaints.isEmpty { isCaught.store(true, ordering: .relaxed) }
    return isCaught.load(ordering: .relaxed)
  }

  private static let isCaught = Atomic(false)

  /// Where random numbers begin; `UPLIFT_SEED` makes a run again.
  static let seed = environment["UPLIFT_SEED"].flatMap { UInt64($0) } ?? 1

  /// One line for the log of the run: `Scripts/prove` gathers them.
  static func report(_ suite: String, _ words: String) {
    print("figures: \(suite): \(words)")
  }

  static func choose(_ shallow: Int, deep: Int) -> Int { isDeep ? deep : shallow }
}
