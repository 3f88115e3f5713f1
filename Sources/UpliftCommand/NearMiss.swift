/// Finds the word that somebody meant who wrote another.
package enum NearMiss {
  /// The nearest of the words, if a third of it or less is wrong; the first of several.
  ///
  /// Upper and lower case are the same.
  package static func of(_ written: String, among words: [String]) -> String? {
    let near = words.map { (word: $0, distance: distance(Array(written.lowercased()), Array($0))) }
    guard let nearest = near.min(by: { $0.distance < $1.distance }) else { return nil }
    return nearest.distance <= max(1, nearest.word.count / 3) ? nearest.word : nil
  }

  /// How many letters have to be put in, left out, replaced or swapped with the next.
  private static func distance(_ from: [Character], _ to: [Character]) -> Int {
    // Nobody mistypes a word at this length, and the table grows with both.
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
