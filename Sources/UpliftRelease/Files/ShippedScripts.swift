internal import Uplift
internal import UpliftSystem

/// All steps of a program, with their texts.
struct ShippedScripts {
  let catalog: Catalog
  /// In the order of their numbers.
  let all: [Script]

  /// Lists the steps, and reads the text of each.
  init(of migrations: Migrations) throws(ReleaseError) {
    let catalog = try translatingUpgradeError { () throws(UpgradeError) in
      try Catalog(of: migrations)
    }
    var all: [Script] = []
    for step in catalog.steps(after: .zero, through: catalog.newest ?? .zero) {
      all.append(
        try translatingUpgradeError { () throws(UpgradeError) in try Script(reading: step) })
    }
    self.catalog = catalog
    self.all = all
  }

  /// Those that read the seed.
  ///
  /// At most one such step can be released, because its number is the seed's version.
  var readingSeed: [Script] { all.filter(\.readsSeed) }
}

extension Upgrader.Migrations {
  /// The directories of scripts.
  var directories: [Path] {
    sources.compactMap { source in
      if case .directory(let path) = source { Path(path) } else { nil }
    }
  }
}
