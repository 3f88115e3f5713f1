internal import Uplift
internal import UpliftSQLite

/// What the upgrades from all starting points show together.
struct TriedStarts {
  private let scripts: ShippedScripts
  /// The first starting point that reached the target, and the schema that it has there.
  private var expected: (name: String, schema: DatabaseSchema)?
  private var references: [CheckRun.Reference] = []
  /// For each table for which an upgrade could make up no row: the note about it.
  private var untried: [Name: PlacedFact] = [:]
  /// The tables that had rows in one of the upgrades.
  private var tried: Set<Name> = []
  private var ran: Set<Version> = []
  private var hasFailed = false

  init(_ scripts: ShippedScripts) {
    self.scripts = scripts
  }

  /// Adds the upgrade from one starting point, and returns how its schema differs from the first
  /// one.
  mutating func add(_ run: CheckRun, from start: StartingPoint) -> [PlacedFact] {
    references += run.references
    tried.formUnion(run.tried)
    untried.merge(run.untried) { first, _ in first }
    ran.formUnion(run.durations.keys)
    // In an empty database, a script that reads the seed meets no row that it could clash with.
    if start == .empty { ran.subtract(scripts.readingSeed.map(\.migration.version)) }
    guard var schema = run.schema else {
      hasFailed = true
      return []
    }
    guard let expected else {
      self.expected = (start.name, schema)
      return []
    }
    if case .fixture = start {
      let others = OtherObjects(in: schema, besides: expected.schema, scripts.all)
      schema = schema.without(others)
    }
    return SchemaDifference.between(schema, expected.schema).map { difference in
      let fact = Fact.schemaDiffers(difference, reference: expected.name, start: start)
      return PlacedFact(fact, start.place)
    }
  }

  /// The facts about foreign keys, and the notes about tables in which no upgrade had a row.
  var facts: [PlacedFact] {
    let notes = untried.filter { !tried.contains($0.key) }.sorted { $0.key < $1.key }
    return mergedReferences + notes.map(\.value)
  }

  /// The note about new scripts that no upgrade ran, because every starting point is above them.
  ///
  /// After a failure there is none: the script that failed kept the later ones from running.
  func notRun(above released: Version, through target: Version?) -> [PlacedFact] {
    guard !hasFailed else { return [] }
    let rest = scripts.all.filter { script in
      let version = script.migration.version
      return version > released && !ran.contains(version) && target.map { version <= $0 } ?? true
    }
    guard let last = rest.last else { return [] }
    let fact = Fact.notRun(last.migration.version, others: rest.count - 1)
    return [PlacedFact(fact, in: last, at: nil)]
  }

  /// The facts about foreign keys, each once.
  private var mergedReferences: [PlacedFact] {
    var known: Set<Fact> = []
    // The script that made a foreign key is a better place than a database that has it.
    return (references.filter(\.isMade) + references.filter { !$0.isMade })
      .filter { known.insert($0.fact).inserted }.map { PlacedFact($0.fact, $0.place) }
  }
}
