internal import Uplift

/// All steps of a program, with their texts.
struct ShippedScripts {
  let catalog: Catalog
  /// In the order of their numbers.
  let all: [Script]

  /// Lists the steps, and reads the text of each.
  init(of migrations: Migrations) throws(UpgradeError) {
    catalog = try Catalog(of: migrations)
    all = try catalog.all.map { step throws(UpgradeError) in try Script(reading: step) }
  }

  /// The version from which scripts ship, below which a database is refused; 0 if no script says it.
  func floor() throws(UpgradeError) -> Version {
    try all.first?.floor(lowest: catalog.all.first) ?? .zero
  }

  /// Those that read the seed.
  ///
  /// At most one such step can be released, because its number is the seed's version.
  var readingSeed: [Script] { all.filter(\.readsSeed) }
}

extension Upgrader {
  /// The header of the seed; nil if there is none.
  func seedHeader() throws(UpgradeError) -> DatabaseHeader? {
    guard let seed else { return nil }
    return try SeedFile.header(of: seed)
  }
}

extension Upgrader.Migrations {
  /// The newest version that was released; 0 if none is known.
  func newestReleased() throws(UpgradeError) -> Version {
    try lockedDirectories().map { directory throws(UpgradeError) in
      try LockFile(in: directory).newest
    }.max() ?? .zero
  }
}
