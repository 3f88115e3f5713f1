internal import Uplift

/// The number of a script of another tool: a few parts, each with any number of digits.
///
/// `00012` has one part, `1.4.2` has three, and so has the date `2018-01-14`. Parts are compared as
/// numbers, and a part that is not there is zero.
struct ToolNumber: Hashable, Comparable {
  /// The digits of each part without zeros in front, so that zero is empty.
  private let parts: [ArraySlice<UInt8>]

  init(_ parts: [ArraySlice<UInt8>]) {
    var parts = parts.map { $0.drop { $0 == UInt8(ascii: "0") } }
    while parts.last?.isEmpty == true { parts.removeLast() }
    self.parts = parts
  }

  static func < (one: ToolNumber, other: ToolNumber) -> Bool {
    for index in 0..<max(one.parts.count, other.parts.count) {
      let (left, right) = (one.part(index), other.part(index))
      if left.count != right.count { return left.count < right.count }
      if left != right { return left.lexicographicallyPrecedes(right) }
    }
    return false
  }

  private func part(_ index: Int) -> ArraySlice<UInt8> { index < parts.count ? parts[index] : [] }

  /// True if the digits as text are in another order than the numbers, and both may be times.
  ///
  /// As a number, `20240101` comes before `20180114171611`; as text, it comes after it. Some tools
  /// compare numbers, and others texts.
  func isUnclear(before next: ToolNumber) -> Bool {
    guard let digits = parts.first, let others = next.parts.first, parts.count == 1,
      next.parts.count == 1, digits.count >= 8
    else { return false }
    return !digits.lexicographicallyPrecedes(others)
  }
}
