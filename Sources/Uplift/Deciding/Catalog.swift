/// All the steps there are, in ascending order, each number once.
package struct Catalog: Sendable {
  enum Source: Sendable {
    case scripts(ScriptListing)
    case steps([Migration])
  }

  private let sources: [Source]
  private let entries: [Entry]

  /// A step by its number and where it comes from: there may be thousands, and few are run.
  private struct Entry {
    let version: Version
    let source: Int32
    let index: Int32
  }

  /// Lists the directories of scripts, and takes the steps that the program has.
  init(of migrations: Migrations) throws(UpgradeError) {
    var sources: [Source] = []
    for source in migrations.sources {
      switch source {
      case .directory(let directory): sources.append(.scripts(try ScriptListing(of: directory)))
      case .steps(let steps): sources.append(.steps(steps))
      }
    }
    try self.init(sources)
  }

  /// Throws where two steps have one number, or plain and dotted numbers are mixed.
  init(_ sources: [Source]) throws(UpgradeError) {
    self.sources = sources
    var entries: [Entry] = []
    for (source, steps) in sources.enumerated() {
      let versions =
        switch steps {
        case .scripts(let listing): listing.versions
        case .steps(let steps): steps.map(\.version)
        }
      entries.reserveCapacity(entries.count + versions.count)
      for index in versions.indices {
        entries.append(
          Entry(version: versions[index], source: Int32(source), index: Int32(index)))
      }
    }
    self.entries = Self.sorted(entries)
    if !isInOrder { try explain() }
    for case .scripts(let listing) in sources {
      guard let file = listing.goingDown else { continue }
      throw .scriptName(file: listing.path(of: file), .goesDown)
    }
  }

  /// In the order of their numbers, which mostly count up: then each has a place of its own, and
  /// thousands need not be compared.
  private static func sorted(_ entries: [Entry]) -> [Entry] {
    let newest = entries.reduce(0) { max($0, Int($1.version.number)) }
    guard newest <= 2 * entries.count else {
      return entries.sorted { $0.version < $1.version }
    }
    var places = [Int32](repeating: -1, count: newest + 1)
    for index in entries.indices { places[Int(entries[index].version.number)] = Int32(index) }
    var ordered: [Entry] = []
    ordered.reserveCapacity(entries.count)
    for place in places where place >= 0 { ordered.append(entries[Int(place)]) }
    // One of two with the same number has lost its place.
    return ordered.count == entries.count ? ordered : entries.sorted { $0.version < $1.version }
  }

  private var isInOrder: Bool {
    guard let first = entries.first else { return true }
    return first.version > .zero
      && zip(entries, entries.dropFirst()).allSatisfy { one, next in
        one.version < next.version && one.version.isDotted == next.version.isDotted
      }
  }

  /// Says what is wrong with the numbers, in words that do not depend on the file system's order.
  private func explain() throws(UpgradeError) {
    let sorted = entries.map { (version: $0.version, origin: origin(of: $0)) }
      .sorted { ($0.version, $0.origin) < ($1.version, $1.origin) }
    if let first = sorted.first, first.version == .zero {
      throw .scriptName(file: first.origin, .zero)
    }
    if let plain = sorted.first(where: { !$0.version.isDotted }),
      let dotted = sorted.first(where: { $0.version.isDotted })
    {
      throw .mixedNumbers(plain: plain.origin, dotted: dotted.origin)
    }
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.version == next.version {
      throw .duplicate(one.version, first: one.origin, second: next.origin)
    }
  }

  /// What an error calls a step: the path of a script, the name of a step and where it is written.
  private func origin(of entry: Entry) -> String {
    let index = Int(entry.index)
    switch sources[Int(entry.source)] {
    case .scripts(let listing):
      return listing.path(index)
    case .steps(let steps):
      let step = steps[index]
      return "\(step.name) (\(step.location.file):\(step.location.line))"
    }
  }

  package var newest: Version? { entries.last?.version }

  /// Why there is no step with the target's number.
  func notShipped(_ target: Version) -> UpgradeError {
    if newest == nil {
      for case .scripts(let listing) in sources {
        if let directory = listing.onlyDirectory {
          return .scriptName(file: directory, .onlyDirectory)
        }
      }
    }
    return .targetNotShipped(target, newest: newest)
  }

  func contains(_ version: Version) -> Bool {
    let index = firstIndex(above: version)
    return index > 0 && entries[index - 1].version == version
  }

  /// The steps above a version, up to the target.
  func steps(after version: Version, through target: Version) -> [Migration] {
    guard version < target else { return [] }
    return entries[firstIndex(above: version)..<firstIndex(above: target)].map { entry in
      switch sources[Int(entry.source)] {
      case .scripts(let listing): listing.migration(Int(entry.index))
      case .steps(let steps): steps[Int(entry.index)]
      }
    }
  }

  private func firstIndex(above version: Version) -> Int {
    var range = 0..<entries.count
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range =
        entries[middle].version > version
        ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    return range.lowerBound
  }
}
