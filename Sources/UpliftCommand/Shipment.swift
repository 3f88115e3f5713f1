internal import Uplift

/// The seed and the steps for the verbs of a release, which have no database.
struct Shipment {
  let upgrader: Upgrader
  /// The path of the seed, for a message.
  let seed: String?
  /// The directory of scripts; nil if all steps are in the program.
  let migrations: String?

  /// Takes them from the program that runs the command (`own`), or from the command line.
  init(_ arguments: Arguments, _ own: Upgrader?) throws(ErrorReport) {
    if let own {
      upgrader = Upgrader(
        database: own.database, seed: own.seed, migrations: own.migrations,
        target: arguments.target ?? own.target, options: arguments.options)
      seed = own.seed?.name
      migrations =
        own.migrations.sources.lazy.compactMap { source in
          if case .directory(let path) = source { path } else { nil }
        }.first
      return
    }
    let shipped = try ShippedPaths(arguments)
    seed = shipped.seed
    migrations = shipped.migrations
    if seed == nil, migrations == nil { throw ErrorReport(CommandLineError.noScripts) }
    upgrader = Upgrader(
      database: "", seed: shipped.seed.map { .file($0) },
      migrations: shipped.migrations.map { .directory($0) } ?? [],
      target: arguments.target, options: arguments.options)
  }
}
