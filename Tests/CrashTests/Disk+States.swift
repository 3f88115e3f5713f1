/// A state of the disk after a power cut, and the least that it must hold.
struct State {
  let tree: Tree
  /// The newest version that was reported before the cut.
  let reported: Int?
  /// How the state came about, for the message of a failure.
  let story: String
}

extension Disk {
  /// The states at each moment, or at some random ones, each state once.
  ///
  /// At a moment these are: everything, only what was synced, names without data, data without
  /// names, each ordered prefix, and some random mixtures.
  func states(
    at some: Int = .max, mixtures: Int, _ random: inout Random
  ) -> [State] {
    var chosen = moments
    if some < moments.count { chosen = Array(moments.shuffled(using: &random).prefix(some)) }
    var seen: Set<Int> = []
    var states: [State] = []
    for moment in chosen {
      let reported = reported(before: moment)
      func add(_ story: String, _ tree: Tree) {
        var hasher = Hasher()
        hasher.combine(tree.fingerprint)
        hasher.combine(reported)
        guard seen.insert(hasher.finalize()).inserted else { return }
        states.append(State(tree: tree, reported: reported, story: "call \(moment): \(story)"))
      }
      add("everything", tree(at: moment) { _ in .whole })
      add("what was synced", tree(at: moment) { _ in .lost })
      add("names without data", tree(at: moment) { $0.isName ? .whole : .lost })
      add("data without names", tree(at: moment) { $0.isName ? .lost : .whole })
      let count = changes.filter { $0.call < moment && $0.safeSince >= moment }.count
      for length in 0..<count {
        var left = length
        let tree = tree(at: moment) { _ in
          left -= 1
          return left >= 0 ? .whole : .lost
        }
        add("the first \(length) of \(count)", tree)
      }
      guard count > 0 else { continue }
      for number in 0..<mixtures {
        var generator = Random(seed: random.next())
        let tree = tree(at: moment, tearing: &generator)
        add("mixture \(number)", tree)
      }
    }
    return states
  }

  private enum Fate { case whole, lost, torn }

  /// The disk if each change that was not yet safe has this fate.
  private func tree(at moment: Int, _ fate: (Change) -> Fate) -> Tree {
    var none = Random(seed: 0)
    return tree(at: moment, &none) { change, _ in fate(change) }
  }

  private func tree(at moment: Int, tearing random: inout Random) -> Tree {
    tree(at: moment, &random) { change, random in
      random.chance(2) ? .lost : change.isName || random.chance(2) ? .whole : .torn
    }
  }

  private func tree(
    at moment: Int, _ random: inout Random, _ fate: (Change, inout Random) -> Fate
  ) -> Tree {
    var tree = start
    for change in changes {
      guard change.call < moment else { break }
      switch change.safeSince < moment ? .whole : fate(change, &random) {
      case .whole: change.apply(to: &tree)
      case .torn: change.applyTorn(to: &tree, &random)
      case .lost: continue
      }
    }
    return tree
  }
}
