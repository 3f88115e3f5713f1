internal import Uplift

/// The seed and the steps for the verbs of a release, which have no database.
struct Shipment {
  let upgrader: Upgrader
  /// The directory of scripts; nil if all steps are in the program.
  let migrations: String?

  /// Takes them from the program that runs the command (`programsUpgrader`), or from the command
  /// line.
  ///
  /// A program often runs beside a copy of its resources. The options then name those in its
  /// sources. With `throughNewest`, the target of the program does not count, because it is raised
  /// later.
  init(
    _ arguments: Arguments, _ programsUpgrader: Upgrader?, throughNewest: Bool = false
  ) throws(ErrorReport) {
    let source: Upgrader
    if let programsUpgrader {
      source = try programsUpgrader.taking(arguments)
    } else {
      let shipped = try ShippedPaths(arguments)
      if shipped.seed == nil, shipped.migrations == nil {
        throw ErrorReport(CommandLineError.noScripts)
      }
      source = shipped.upgrader
    }
    upgrader = Upgrader(
      database: source.database, seed: source.seed, migrations: source.migrations,
      target: arguments.target ?? (throughNewest ? nil : source.target), options: arguments.options,
      prepare: arguments.prepare(like: source))
    migrations =
      source.migrations.sources.lazy.compactMap { source in
        if case .directory(let path) = source { path } else { nil }
      }.first
  }

  /// The path of the seed, for a message.
  var seed: String? { upgrader.seed?.name }
}

extension Upgrader {
  /// This upgrader with the seed and the scripts that the options name; the steps in Swift stay.
  ///
  /// The named directory takes the place of the program's one list of scripts. If the program has
  /// several lists or none, it is not clear which list the directory replaces, so the option is
  /// refused.
  fileprivate func taking(_ arguments: Arguments) throws(ErrorReport) -> Upgrader {
    guard arguments.resources != nil || arguments.namesFiles else { return self }
    let shipped = try ShippedPaths(arguments)
    var migrations = self.migrations
    if let directory = shipped.migrations {
      let lists = migrations.sources.count { source in
        if case .steps = source { false } else { true }
      }
      guard lists == 1 else {
        throw ErrorReport(
          CommandLineError.notForProgram(
            arguments.migrations == nil ? "--resources" : "--migrations"))
      }
      migrations = migrations.sources.reduce(.directory(directory)) { all, source in
        if case .steps(let steps) = source { all + Migrations(steps) } else { all }
      }
    }
    // If the resources that are named have no seed, the program's copy must not be baked instead.
    let seed = arguments.resources == nil ? self.seed : nil
    return Upgrader(
      database: database, seed: shipped.seed.map { .file($0) } ?? seed, migrations: migrations,
      target: target, options: options, prepare: prepare)
  }
}
