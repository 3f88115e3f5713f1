/// All the steps there are, in ascending order, each number once.
package struct Catalog: Sendable {
  package let migrations: [Migration]

  /// A step, and where it is: what an error calls it.
  struct Entry {
    let migration: Migration
    let place: String
  }

  /// Throws where two steps have one number, or plain and dotted numbers are mixed.
  init(_ entries: [Entry]) throws(UpgradeError) {
    let sorted = entries.sorted {
      ($0.migration.version, $0.place) < ($1.migration.version, $1.place)
    }
    if let first = sorted.first, first.migration.version == .zero {
      throw .scriptName(file: first.place, .zero)
    }
    if let plain = sorted.first(where: { !$0.migration.version.isDotted }),
      let dotted = sorted.first(where: { $0.migration.version.isDotted })
    {
      throw .mixedNumbers(plain: plain.place, dotted: dotted.place)
    }
    for (one, next) in zip(sorted, sorted.dropFirst())
    where one.migration.version == next.migration.version {
      throw .duplicate(one.migration.version, first: one.place, second: next.place)
    }
    migrations = sorted.map(\.migration)
  }

  package var newest: Version? { migrations.last?.version }

  func contains(_ version: Version) -> Bool {
    migrations.contains { $0.version == version }
  }

  /// The steps above a version, up to the target.
  func steps(after version: Version, through target: Version) -> [Migration] {
    migrations.filter { $0.version > version && $0.version <= target }
  }
}
