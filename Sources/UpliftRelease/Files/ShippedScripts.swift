internal import Uplift

/// All steps of a program, and those among them that read the seed.
///
/// One such step can be released at most, because its number is the seed's version.
struct ShippedScripts {
  let catalog: Catalog
  let readingSeed: [Script]

  /// Lists the steps, and reads the text of each.
  init(of migrations: Migrations) throws(ReleaseError) {
    let catalog = try upgrading { () throws(UpgradeError) in try Catalog(of: migrations) }
    var found: [Script] = []
    for step in catalog.steps(after: .zero, through: catalog.newest ?? .zero) {
      let script = try upgrading { () throws(UpgradeError) in try Script(reading: step) }
      if script.readsSeed { found.append(script) }
    }
    self.catalog = catalog
    readingSeed = found
  }
}
