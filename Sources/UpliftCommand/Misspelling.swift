/// The errors of words that the command does not know, and the word that was probably meant.
extension ErrorReport {
  /// The program that the command is a part of brings its own seed and scripts.
  static func notForProgram(_ word: String) -> ErrorReport {
    .usage(
      "\(word) is not for this program",
      fix: "leave it out: the program brings its own seed and scripts")
  }

  static func unexpected(_ word: String, _ verb: Verb) -> ErrorReport {
    let takes: [Verb: String] = [.help: "one verb", .initialize: "one name"]
    let option = takes[verb] == nil ? ", or put the name of its option in front of it" : ""
    return .usage(
      "\"\(word)\" is an unexpected argument, \(verb.rawValue) takes \(takes[verb] ?? "only options")",
      fix: "remove it\(option)")
  }

  static func unknownOption(_ name: String) -> ErrorReport {
    let others = ["--db": "--database", "--dry-run": "uplift rehearse, or bake --check"]
    let near =
      others[name] ?? NearMiss.of(name, among: Option.table.map(\.name) + ["--help", "--version"])
    return .usage(
      "no option is called \"\(name)\"",
      fix: near.map { "did you mean \($0)?" } ?? "uplift help VERB lists the options")
  }

  static func unknownVerb(_ word: String) -> ErrorReport {
    let names = Verb.typed.map(\.rawValue) + ["--version", "--help"]
    let lowercase = word.lowercased()
    let remedy: String
    if let other = otherTools.first(where: { " \($0.words) ".contains(" \(lowercase) ") }) {
      remedy = "did you mean uplift \(other.verb.rawValue)? It is to \(other.verb.summary)"
    } else if let near = NearMiss.of(word, among: names) {
      remedy = "did you mean \(near)?"
    } else if word.contains("/") || word.dropFirst().contains(".") {
      remedy = "put the name of its option in front of it, as in --database \(word)"
    } else {
      remedy = "uplift help lists the verbs"
    }
    return .usage("no verb is called \"\(word)\"", fix: remedy)
  }

  /// The error for a value that an option does not accept.
  static func refused(_ option: Option, _ value: String) -> ErrorReport {
    func error(_ wanted: String, fix: String) -> ErrorReport {
      .usage("\(option.name) is \"\(value)\", \(wanted)", fix: fix)
    }
    switch option.value {
    case .version:
      return error(
        "neither a number from 1 to 2147483647 nor a release like 1.4.2-1",
        fix: "write the number of a script")
    case .count(let most):
      return error(
        "not a number from 1 to \(most)", fix: "write digits, as in \(option.name) 2")
    case .oneOf(let words):
      let near = NearMiss.of(value, among: words).map { "did you mean \($0)?" }
      return error("not \(words.alternatives)", fix: near ?? "write \(words.alternatives)")
    default:
      return error(
        "not a number of seconds like 60 or 0.5",
        fix: "write digits, with a point before a fraction")
    }
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
    var table = (0...from.count).map { row in (0...to.count).map { row + $0 } }
    for row in from.indices {
      for column in to.indices {
        let replaced = table[row][column] + (from[row] == to[column] ? 0 : 1)
        var best = min(replaced, table[row][column + 1] + 1, table[row + 1][column] + 1)
        if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
          best = min(best, table[row - 1][column - 1] + 1)
        }
        table[row + 1][column + 1] = best
      }
    }
    return table[from.count][to.count]
  }
}

extension [String] {
  /// The words as a choice: `seed, empty or fail`.
  var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
