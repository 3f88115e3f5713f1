import Foundation

/// A generator of random choices.
///
/// The same seed gives the same choices.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func pick<Choices: RandomAccessCollection>(_ choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: Int(next() % UInt64(choices.count)))]
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { pick(range) }

  /// True once in `times` calls, on average.
  mutating func once(in times: Int) -> Bool { next() % UInt64(times) == 0 }

  /// The seeds of a suite: a few, the same each time, or `UPLIFT_ROUNDS` random ones.
  static func seeds(_ few: Int) -> [UInt64] {
    guard let rounds = ProcessInfo.processInfo.environment["UPLIFT_ROUNDS"].flatMap({ Int($0) })
    else { return (1...few).map { UInt64($0) } }
    return (0..<rounds).map { _ in UInt64.random(in: 0...UInt64.max) }
  }
}
