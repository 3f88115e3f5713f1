internal import Uplift
internal import UpliftSystem

/// All steps of a program, with their texts.
struct ShippedScripts {
  let catalog: Catalog
  /// In the order of their numbers.
  let all: [Script]

  /// Lists the steps, and reads the text of each.
  ///
  /// With `skipsWrong`, `all` lacks each step whose text is wrong or cannot be read. An upgrade that
  /// runs this step reports it.
  init(of migrations: Migrations, skipsWrong: Bool = false) throws(UpgradeError) {
    let catalog = try Catalog(of: migrations)
    var all: [Script] = []
    for step in catalog.all {
      do throws(UpgradeError) {
        all.append(try Script(reading: step))
      } catch {
        if !skipsWrong { throw error }
      }
    }
    self.catalog = catalog
    self.all = all
  }

  /// The number of the last step before the first one whose text is wrong.
  var lastReadable: Version {
    let readable = zip(catalog.all, all).prefix { $0.version == $1.migration.version }
    return readable.last?.0.version ?? .zero
  }

  /// Those that read the seed.
  ///
  /// At most one such step can be released, because its number is the seed's version.
  var readingSeed: [Script] { all.filter(\.readsSeed) }
}
