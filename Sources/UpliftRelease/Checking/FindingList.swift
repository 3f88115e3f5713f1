internal import Uplift

/// Facts without repetitions, each with the databases whose upgrades showed it.
struct FindingList {
  /// The number of databases from which upgrades start.
  private let startCount: Int
  private var places: [PlacedFact: Int] = [:]
  private var facts: [(fact: PlacedFact, starts: [String])] = []

  init(startCount: Int) {
    self.startCount = startCount
  }

  mutating func add(_ facts: [PlacedFact], from start: StartingPoint? = nil) {
    for fact in facts {
      let index = places[fact] ?? self.facts.count
      if index == self.facts.count {
        places[fact] = index
        self.facts.append((fact, []))
      }
      if let name = start?.name, !self.facts[index].starts.contains(name) {
        self.facts[index].starts.append(name)
      }
    }
  }

  /// The findings in the order in which they were found; without those that the scripts accept, and
  /// with those that they accept in vain.
  ///
  /// `released` are the paths of released scripts, which cannot be changed any more.
  func check(_ scripts: [Script], released: Set<String> = []) -> Check {
    var facts = facts.filter { !isImplied($0.fact) }
    facts.removeAll { entry in
      !entry.fact.fact.concernsReleased && released.contains(entry.fact.place.file)
    }
    let newest = scripts.last?.migration.path
    for script in scripts {
      for kind in script.accepted {
        let count = facts.count
        facts.removeAll { entry in
          let (fact, place) = (entry.fact.fact, entry.fact.place)
          return fact.kind.rawValue == kind && fact.isAcceptable
            && (place.file == script.migration.path
              || fact.kind == .schemaDiffers && script.migration.path == newest)
        }
        guard facts.count == count, !released.contains(script.migration.path) else { continue }
        facts.append((PlacedFact(.acceptsNothing(kind), in: script, at: nil), []))
      }
    }
    let findings = facts.map { entry in
      let (fact, place) = (entry.fact.fact, entry.fact.place)
      return Finding(
        kind: fact.kind, place: place, words: Self.line(fact.words), remedy: fact.remedy,
        startingPoints: entry.starts.count == startCount || entry.starts == [place.file]
          ? [] : entry.starts)
    }
    return Check(
      findings: findings.filter { $0.kind != .notTried },
      notTried: findings.filter { $0.kind == .notTried })
  }

  var isEmpty: Bool { facts.isEmpty }

  /// The words in one line; a constraint in SQLite's words may have several.
  private static func line(_ words: String) -> String {
    words.split(whereSeparator: \.isNewline).enumerated().map { index, line in
      index == 0 ? String(line) : String(line.drop { $0 == " " || $0 == "\t" })
    }.joined(separator: " ")
  }

  /// True if real rows have shown the same, so the finding about made-up rows is not needed.
  private func isImplied(_ one: PlacedFact) -> Bool {
    facts.contains { entry in
      guard entry.fact.place == one.place else { return false }
      return switch (one.fact, entry.fact.fact) {
      case (.failsOnRows, .stopped): true
      case (.madeUpRowsGone(let table), .rowsLost(let other, _, _)),
        (.someMadeUpRowsGone(let table, _, _, _), .rowsLost(let other, _, _)):
        table == other
      default: false
      }
    }
  }
}
