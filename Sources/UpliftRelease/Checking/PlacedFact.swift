internal import Uplift

/// A fact, and its place in a script, a database or the lock file.
struct PlacedFact: Hashable {
  let fact: Fact
  let place: Finding.Place

  init(_ fact: Fact, _ place: Finding.Place) {
    self.fact = fact
    self.place = place
  }

  /// `offset` is that of a statement; nil if no single statement did it.
  init(_ fact: Fact, in script: Script, at offset: Int?) {
    self.fact = fact
    place = Finding.Place(in: script, at: offset)
  }
}

extension Finding.Place {
  init(in script: Script, at offset: Int?) {
    let found = offset.flatMap { script.place(ofStatementAt: $0) }
    self.init(
      file: script.migration.path, line: found?.line, column: found?.column,
      excerpt: found?.excerpt)
  }
}
