internal import Uplift

/// Facts without repetitions, each with the databases whose upgrades showed it.
struct FindingList {
  private var places: [PlacedFact: Int] = [:]
  private var facts: [(fact: PlacedFact, starts: [String])] = []

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

  /// The findings: errors first, and each in the order in which they were found.
  var findings: [Finding] {
    let all = facts.map { entry in
      let (fact, place) = (entry.fact.fact, entry.fact.place)
      return Finding(
        kind: fact.kind, severity: fact.severity, place: place, words: fact.words,
        remedy: fact.remedy,
        startingPoints: entry.starts.filter { $0 != place.file })
    }
    return all.filter { $0.severity == .error } + all.filter { $0.severity == .note }
  }
}
