/// An error in the command line.
package struct CommandLineError: Error, Hashable, Sendable {
  /// One clause: what was found, and then what was wanted.
  package let message: String
  /// One line that says what to do.
  package let remedy: String

  init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }

  /// The options name neither scripts nor a seed; for `new`, no directory of scripts.
  static let noScripts = CommandLineError(
    "the options name neither scripts nor a seed",
    remedy: "name them with --migrations and --seed, or their directory with --resources")

  /// The program that the command is a part of brings its own seed and scripts.
  static func notForProgram(_ option: String) -> CommandLineError {
    CommandLineError(
      "\(option) is not for this program",
      remedy: "leave it out: the program brings its own seed and scripts")
  }

  static func unknownOption(_ name: String) -> CommandLineError {
    let names = Option.table.map(\.name) + ["--help", "--version"]
    return CommandLineError(
      "no option is called \"\(name)\"",
      remedy: NearMiss.of(name, among: names).map { "did you mean \($0)?" }
        ?? "uplift help VERB lists the options")
  }

  static func unknownVerb(_ word: String) -> CommandLineError {
    let names = Verb.typed.map(\.rawValue) + ["--version", "--help"]
    let remedy: String
    let lowercase = word.lowercased()
    if let verb = otherTools.first(where: {
      $0.words.split(separator: " ").contains { $0 == lowercase }
    })?.verb {
      remedy = "did you mean uplift \(verb.rawValue)? It is to \(verb.summary)"
    } else if let near = NearMiss.of(word, among: names) {
      remedy = "did you mean \(near)?"
    } else if word.utf8.contains(UInt8(ascii: "/"))
      || word.utf8.dropFirst().contains(UInt8(ascii: "."))
    {
      remedy = "put the name of its option in front of it, as in --database \(word)"
    } else {
      remedy = "uplift help lists the verbs"
    }
    return CommandLineError("no verb is called \"\(word)\"", remedy: remedy)
  }

  /// Verbs of other tools, and ours for the same work.
  package static let otherTools: [(words: String, verb: Verb)] = [
    ("migrate migration migrations upgrade update apply run latest deploy push", .up),
    ("info list ls show history current pending version plan diff", .status),
    ("create generate add make revision import", .new),
    ("rollback down downgrade undo revert back goto reset", .restore),
    ("validate lint test", .check),
    ("baseline stamp fake mark force repair resolve", .adopt),
    ("build seed dump", .bake),
    ("dry-run simulate preview", .rehearse),
  ]
}

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
