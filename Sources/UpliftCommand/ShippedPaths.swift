internal import Uplift

/// The seed and the scripts that the command line names, or that the resource directory has.
struct ShippedPaths {
  let seed: String?
  let migrations: String?

  /// Searches the resource directory only for the seed or the scripts that no option names.
  ///
  /// If `--database`, `--seed` or `--migrations` is given, the directory `Resources` is not
  /// searched by default: a file that happens to lie in `Resources` must not become the database of
  /// another program.
  init(_ arguments: Arguments) throws(ErrorReport) {
    var migrations = arguments.migrations
    var seed = arguments.seed
    let resources = arguments.resources ?? (arguments.namesFiles ? nil : "Resources")
    if let resources, seed == nil || migrations == nil {
      do throws(UpgradeError) {
        let directory = try ResourceDirectory(in: resources)
        if seed == nil { seed = try directory.seed(isNeeded: arguments.needsSeed) }
        if migrations == nil { migrations = try directory.migrations() }
      } catch {
        throw ErrorReport(error)
      }
    }
    self.seed = seed
    self.migrations = migrations
  }
}

extension ShippedPaths {
  /// An upgrader of these files, without a database.
  var upgrader: Upgrader {
    Upgrader(
      database: "", seed: seed.map { .file($0) },
      migrations: migrations.map { .directory($0) } ?? [])
  }
}

extension Arguments {
  /// True if an option names a file itself, so that the directories have no default.
  var namesFiles: Bool { database != nil || seed != nil || migrations != nil }

  /// True if the path of the database follows from the seed.
  ///
  /// The verbs for a release have no database, and say by themselves if they need a seed.
  fileprivate var needsSeed: Bool {
    !verb.isForRelease && database == nil && each == nil
  }
}
