internal import Uplift

/// The seed and the steps for the verbs of a release, which have no database.
struct Shipment {
  let upgrader: Upgrader
  /// The directory of scripts; nil if all steps are in the program.
  let migrations: String?

  /// Takes them from the program that runs the command (`own`), or from the command line.
  init(_ arguments: Arguments, _ own: Upgrader?) throws(ErrorReport) {
    let source: Upgrader
    if let own {
      source = own
    } else {
      let shipped = try ShippedPaths(arguments)
      if shipped.seed == nil, shipped.migrations == nil {
        throw ErrorReport(CommandLineError.noScripts)
      }
      source = shipped.upgrader
    }
    upgrader = Upgrader(
      database: source.database, seed: source.seed, migrations: source.migrations,
      target: arguments.target ?? source.target, options: arguments.options,
      prepare: arguments.prepare(like: source))
    migrations =
      source.migrations.sources.lazy.compactMap { source in
        if case .directory(let path) = source { path } else { nil }
      }.first
  }

  /// The path of the seed, for a message.
  var seed: String? { upgrader.seed?.name }
}
