/// All steps of an upgrade in ascending order.
///
/// No two of them have the same number.
package struct Catalog: Sendable {
  /// One place that steps come from: a directory, or a list in the program.
  enum Source: Sendable {
    case scripts(ScriptListing)
    case steps([Migration])
  }

  private let sources: [Source]
  private let entries: [Entry]

  /// The number of a step and its index in its source.
  ///
  /// There may be thousands of steps, and most of them are applied already. Only the others become
  /// a `Migration`.
  private struct Entry {
    let version: Version
    let source: Int
    let index: Int
  }

  /// Lists the directories of scripts, and takes the steps that the program has.
  package init(of migrations: Migrations) throws(UpgradeError) {
    var sources: [Source] = []
    for source in migrations.sources {
      switch source {
      case .directory(let directory): sources.append(.scripts(try ScriptListing(of: directory)))
      case .scripts(let scripts): sources.append(.steps(try Self.steps(scripts)))
      case .steps(let steps): sources.append(.steps(steps))
      }
    }
    try self.init(sources)
  }

  /// The steps of scripts that are in the program; a name that is not that of a script is refused.
  private static func steps(
    _ scripts: [(name: String, text: String)]
  ) throws(UpgradeError) -> [Migration] {
    var steps: [Migration] = []
    for (name, text) in scripts {
      do throws(UpgradeError.NameProblem) {
        let bytes = Array(name.utf8)
        guard !ScriptName.isForGoingDown(bytes) else { throw .goesDown }
        let number = try bytes.withUnsafeBufferPointer { file throws(UpgradeError.NameProblem) in
          try ScriptName(file)?.number
        }
        guard let number else { throw .noNumber }
        steps.append(
          Migration(
            version: number.version, name: name, body: .sql(text),
            location: SourceLocation(file: name, line: 1)))
      } catch {
        throw .scriptName(file: name, error)
      }
    }
    return steps
  }

  /// Refuses two steps with the same number, plain numbers beside dotted ones, the number 0, and a
  /// script that undoes another.
  init(_ sources: [Source]) throws(UpgradeError) {
    self.sources = sources
    var entries: [Entry] = []
    for (source, steps) in sources.enumerated() {
      for (index, version) in steps.versions.enumerated() {
        entries.append(Entry(version: version, source: source, index: index))
      }
    }
    self.entries = entries.sorted { $0.version < $1.version }
    if !isInOrder { try refuseDisorder() }
    for case .scripts(let listing) in sources {
      guard let script = listing.goingDown else { continue }
      throw .scriptName(file: listing.path(of: script), .goesDown)
    }
  }

  /// True if the numbers begin above 0, ascend, and are all plain or all dotted.
  private var isInOrder: Bool {
    guard let first = entries.first else { return true }
    return first.version > .zero
      && zip(entries, entries.dropFirst()).allSatisfy { one, next in
        one.version < next.version && one.version.isDotted == next.version.isDotted
      }
  }

  /// Throws the error for numbers that are not in order.
  ///
  /// A file system lists its files in any order, so steps with the same number are sorted by their
  /// names here. The error is then the same on every file system.
  private func refuseDisorder() throws(UpgradeError) {
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

  private func origin(of entry: Entry) -> String { sources[entry.source].origin(entry.index) }

  package var newest: Version? { entries.last?.version }

  /// The error for a target that no step has as its number.
  ///
  /// `seed` names the seed if it is at version 0 and no target was given; otherwise it is nil.
  func notShipped(_ target: Version, seed: String? = nil) -> UpgradeError {
    if newest == nil {
      for case .scripts(let listing) in sources {
        if let directory = listing.onlyDirectory {
          return .scriptName(file: directory, .onlyDirectory)
        }
      }
    }
    return .targetNotShipped(target, newest: newest, seed: seed)
  }

  package func contains(_ version: Version) -> Bool {
    let index = firstIndex(above: version)
    return index > 0 && entries[index - 1].version == version
  }

  package var all: [Migration] { steps(after: .zero, through: newest ?? .zero) }

  /// The steps above a version, up to and including the target.
  package func steps(after version: Version, through target: Version) -> [Migration] {
    guard version < target else { return [] }
    return entries[firstIndex(above: version)..<firstIndex(above: target)].map {
      sources[$0.source].step($0.index)
    }
  }

  /// The index of the first step above a version, by binary search.
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

extension Catalog.Source {
  fileprivate var versions: [Version] {
    switch self {
    case .scripts(let listing): listing.scripts.map(\.version)
    case .steps(let steps): steps.map(\.version)
    }
  }

  fileprivate func step(_ index: Int) -> Migration {
    switch self {
    case .scripts(let listing): listing.migration(listing.scripts[index])
    case .steps(let steps): steps[index]
    }
  }

  /// A step's name in an error: the path or the name of a script, or the name of a step and its
  /// line of Swift.
  fileprivate func origin(_ index: Int) -> String {
    switch self {
    case .scripts(let listing): return listing.path(of: listing.scripts[index].name)
    case .steps(let steps):
      let step = steps[index]
      if step.location.file == step.name { return step.name }
      return "\(step.name) (\(step.location.file):\(step.location.line))"
    }
  }
}
