internal import Uplift

/// What the command line means: which database, which seed and which scripts.
struct Invocation {
  let database: String
  let seed: String?
  let upgrader: Upgrader

  /// If `--database`, `--seed` or `--migrations` is given, the directory `data` has no default.
  ///
  /// `own` is the upgrader of the program that the command is a part of.
  init(_ arguments: Arguments, _ own: Upgrader?) throws(ErrorReport) {
    let source: Upgrader
    if let own {
      database = arguments.database ?? own.database
      seed = own.seed?.name
      source = own
    } else {
      let shipped = try ShippedPaths(arguments)
      seed = shipped.seed
      let data = arguments.data ?? (arguments.namesFiles ? nil : "data")
      guard let database = arguments.database ?? Self.database(in: data, namedAs: seed) else {
        throw ErrorReport(CommandLineError.noDatabase)
      }
      if seed == nil, shipped.migrations == nil, arguments.target == nil,
        arguments.backupVersion == nil
      {
        throw ErrorReport(CommandLineError.noScripts)
      }
      self.database = database
      source = shipped.upgrader
    }
    upgrader = Upgrader(
      database: database, seed: source.seed, migrations: source.migrations,
      target: arguments.target ?? source.target, options: arguments.options,
      prepare: arguments.prepare(like: source))
  }

  private static func database(in data: String?, namedAs seed: String?) -> String? {
    // Split by bytes: in a `String`, a slash with a combining mark after it is not a slash.
    guard let data, let seed,
      let name = String(
        validating: seed.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    else { return nil }
    return data.appending(component: name)
  }
}
