internal import Uplift

/// The scripts that read the seed.
///
/// One can be released at most, because its number is the seed's version.
enum SeedScript {
  /// Reads all scripts, and returns those that read the seed.
  static func all(in catalog: Catalog) throws(ReleaseError) -> [Script] {
    guard let newest = catalog.newest else { return [] }
    var found: [Script] = []
    for step in catalog.steps(after: .zero, through: newest) {
      let script = try upgrading { () throws(UpgradeError) in try Script(reading: step) }
      if script.readsSeed { found.append(script) }
    }
    return found
  }
}
