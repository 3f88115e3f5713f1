import Foundation
import TestSupport
import Testing

/// Random releases of content, held against a model of what each user's rows must be.
///
/// `UPLIFT_ROUNDS=1000 swift test --filter RandomContentTests` tries as many others.
struct RandomContentTests {
  private static let seeds: [UInt64] = {
    let rounds = ProcessInfo.processInfo.environment["UPLIFT_ROUNDS"].flatMap { Int($0) }
    guard let rounds else { return (1...200).map { UInt64($0) } }
    return (0..<rounds).map { _ in UInt64.random(in: 0...UInt64.max) }
  }()

  /// Two halves, so that they use two cores.
  @Test(.tags(.promise13, .promise17, .R10, .R11), arguments: [0, 1])
  func `users keep their rows and their edits`(half: Int) throws {
    var count = 0
    for index in stride(from: half, to: Self.seeds.count, by: 2) {
      let seed = Self.seeds[index]
      do {
        var product = try RandomContent(seed)
        try product.run()
        count += product.releases.count
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
    print("figures: content, half \(half): \(Self.seeds.count / 2) products, \(count) releases")
  }
}
