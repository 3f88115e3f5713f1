/// Finds the known word that is closest to a mistyped one.
package enum NearMiss {
  /// The closest of the words, if at most one letter or a third of its letters is wrong; the first
  /// if several are equally close.
  ///
  /// Ignores upper and lower case.
  package static func of(_ written: String, among words: [String]) -> String? {
    let near = words.map { (word: $0, distance: distance(Array(written.lowercased()), Array($0))) }
    guard let nearest = near.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance <= max(1, nearest.word.count / 3) ? nearest.word : nil
  }

  /// The edit distance: how many letters are inserted, left out, replaced or swapped with the next.
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    // A word this long is not a typing mistake, and the work grows with the product of the lengths.
    guard from.count <= 40 else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...to.count)
    for row in from.indices {
      var current = [row + 1]
      for column in to.indices {
        let isSame = from[row] == to[column]
        var best = min(
          last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[to.count]
  }
}
