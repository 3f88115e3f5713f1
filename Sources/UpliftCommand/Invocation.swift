internal import Uplift

/// What the command line means: which database, which seed and which scripts.
struct Invocation {
  let database: String
  let seed: String?
  let upgrader: Upgrader

  /// Searches the resource directory only for the seed or the scripts that no option names.
  ///
  /// If `--database`, `--seed` or `--migrations` is given, the directories `Resources` and `data`
  /// are not searched by default: a file that happens to lie in `Resources` must not become the
  /// database of another program.
  init(_ arguments: Arguments) throws(ErrorReport) {
    let isPieced =
      arguments.database != nil || arguments.seed != nil || arguments.migrations != nil
    let resources = arguments.resources ?? (isPieced ? nil : "Resources")
    let data = arguments.data ?? (isPieced ? nil : "data")

    var migrations = arguments.migrations
    var seed = arguments.seed
    if let resources, seed == nil || migrations == nil {
      do throws(ResourceDirectoryError) {
        let directory = try ResourceDirectory(in: resources)
        if seed == nil { seed = try directory.seed() }
        if seed == nil, arguments.database == nil { throw .noSeed(resources) }
        if migrations == nil { migrations = try directory.migrations() }
      } catch {
        throw ErrorReport(error)
      }
    }
    guard let database = arguments.database ?? Self.database(in: data, namedAs: seed) else {
      throw ErrorReport(CommandLineError.noDatabase)
    }
    if seed == nil, migrations == nil, arguments.target == nil {
      throw ErrorReport(CommandLineError.noScripts)
    }
    self.database = database
    self.seed = seed
    upgrader = Upgrader(
      database: database,
      seed: seed.map { .file($0) },
      migrations: migrations.map { .directory($0) } ?? [],
      target: arguments.target,
      options: arguments.options)
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
