/// All the steps there are, in ascending order, each number once.
package struct Catalog: Sendable {
  package let migrations: [Migration]

  /// Throws where two steps have one number, or plain and dotted numbers are mixed.
  init(scripts: [(name: ScriptName, path: String)]) throws(UpgradeError) {
    let sorted = scripts.sorted {
      ($0.name.number.version, $0.name.file) < ($1.name.number.version, $1.name.file)
    }
    if let plain = sorted.first(where: { !$0.name.number.isDotted }),
      let dotted = sorted.first(where: { $0.name.number.isDotted })
    {
      throw .mixedNumbers(plain: plain.name.file, dotted: dotted.name.file)
    }
    for (one, next) in zip(sorted, sorted.dropFirst())
    where one.name.number.version == next.name.number.version {
      throw .duplicate(one.name.number.version, first: one.name.file, second: next.name.file)
    }
    migrations = sorted.map {
      Migration(version: $0.name.number.version, name: $0.name.file, body: .file($0.path))
    }
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
