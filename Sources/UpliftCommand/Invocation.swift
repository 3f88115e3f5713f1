internal import Uplift

/// The database, the seed and the scripts that the command line names.
struct Invocation {
  let database: String
  let seed: String?
  let upgrader: Upgrader

  /// If `--database`, `--seed` or `--migrations` is given, `--data` has no default; otherwise it is
  /// `data`.
  ///
  /// `programsUpgrader` is the upgrader of the program that the command is a part of.
  init(_ arguments: Arguments, _ programsUpgrader: Upgrader?) throws(ErrorReport) {
    let source: Upgrader
    if let programsUpgrader {
      database = arguments.database ?? programsUpgrader.database
      seed = programsUpgrader.seed?.name
      source = programsUpgrader
    } else {
      let shipped = try ShippedPaths(arguments)
      seed = shipped.seed
      let data = arguments.data ?? (arguments.namesFiles ? nil : "data")
      guard let database = arguments.database ?? Self.database(in: data, namedAs: seed) else {
        throw ErrorReport(
          CommandLineError(
            "the options do not name the database",
            remedy: "name it with --database, or its directory with --data and a seed"))
      }
      if seed == nil, shipped.migrations == nil, arguments.target == nil,
        arguments.backupVersion == nil, arguments.backupFile == nil
      {
        throw ErrorReport(CommandLineError.noScripts)
      }
      self.database = database
      source = shipped.upgrader
    }
    upgrader = Self.upgrader(of: database, like: source, arguments)
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

extension Invocation {
  /// The upgrader of a run that has a directory of databases, and no database of its own.
  static func upgrader(
    for arguments: Arguments, _ programsUpgrader: Upgrader?
  ) throws(ErrorReport) -> Upgrader {
    let source: Upgrader
    if let programsUpgrader {
      source = programsUpgrader
    } else {
      let shipped = try ShippedPaths(arguments)
      if shipped.seed == nil, shipped.migrations == nil, arguments.target == nil {
        throw ErrorReport(CommandLineError.noScripts)
      }
      source = shipped.upgrader
    }
    return upgrader(of: "", like: source, arguments)
  }

  /// An upgrader with the seed and the steps of `source` and the options of the command line.
  private static func upgrader(
    of database: String, like source: Upgrader, _ arguments: Arguments
  ) -> Upgrader {
    Upgrader(
      database: database, seed: source.seed, migrations: source.migrations,
      target: arguments.target ?? source.target, options: arguments.options,
      prepare: arguments.prepare(like: source))
  }
}
