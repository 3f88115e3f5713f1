internal import Uplift

/// What the options mean: which database, from which seed, by which scripts.
struct Invocation {
  let database: String
  let seed: String?
  let upgrader: Upgrader

  /// Looks into the resources only for what is not named on its own.
  ///
  /// If the database, the seed or the scripts are named, the defaults of the directories do not
  /// apply: a file that happens to lie in `Resources` must not become somebody's database.
  init(_ arguments: Arguments) throws(Complaint) {
    let isPieced =
      arguments.database != nil || arguments.seed != nil || arguments.migrations != nil
    let resources = arguments.resources ?? (isPieced ? nil : "Resources")
    let data = arguments.data ?? (isPieced ? nil : "data")

    var migrations = arguments.migrations
    var seed = arguments.seed
    if let resources, seed == nil || migrations == nil {
      do throws(ResourceDirectoryError) {
        let shipped = try ResourceDirectory(in: resources)
        if seed == nil { seed = try shipped.seed() }
        if seed == nil, arguments.database == nil { throw .noSeed(resources) }
        if migrations == nil { migrations = try shipped.migrations() }
      } catch {
        throw Complaint(error)
      }
    }
    guard let database = arguments.database ?? Self.database(in: data, namedAs: seed) else {
      throw Complaint(CommandLineError.noDatabase)
    }
    if seed == nil, migrations == nil, arguments.target == nil {
      throw Complaint(CommandLineError.noScripts)
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
    // By bytes: as characters, a slash and a combining mark after it are one.
    guard let data, let seed,
      let name = String(
        validating: seed.utf8.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    else { return nil }
    return data.appending(component: name)
  }
}
