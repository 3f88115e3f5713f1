internal import Uplift
internal import UpliftSystem

extension Run {
  /// The upgrader that the options describe; its database is empty for a verb that has none.
  ///
  /// With `throughNewest`, the target of the program does not count, because it is raised later.
  func upgrader(throughNewest: Bool = false) throws(UpgradeError) -> Upgrader {
    let source: Upgrader
    if let program {
      source = try program.taking(arguments)
    } else {
      source = try shipped()
    }
    return Upgrader(
      database: arguments.database ?? source.database, seed: source.seed,
      migrations: source.migrations,
      target: arguments.target ?? (throughNewest ? nil : source.target), options: arguments.options,
      prepare: arguments.prepare(like: source))
  }

  /// What ships, and the database that `--data` holds.
  private func shipped() throws(UpgradeError) -> Upgrader {
    let (seed, migrations) = try arguments.files()
    let hasNone = arguments.verb.isForRelease || arguments.each != nil
    var database = hasNone ? "" : arguments.database
    // Split by bytes: in a `String`, a slash with a combining mark after it is not a slash.
    let name = seed?.utf8.split(separator: UInt8(ascii: "/")).last
    if database == nil, let name = name.flatMap({ String(validating: $0, as: UTF8.self) }) {
      database = (arguments.data ?? "data").appending(component: name)
    }
    guard let database else {
      throw UpgradeError(
        .path, "the options do not name the database",
        fix: "name it with --database, or the seed that it is named like with --seed")
    }
    return Upgrader(
      database: database, seed: seed.map { .file($0) },
      migrations: migrations.map { .directory($0) } ?? [])
  }
}

extension Upgrader {
  /// This upgrader of a program with the seed and the scripts that the options name; the steps in
  /// Swift stay.
  ///
  /// A directory takes the place of the program's one list of scripts. If the program has several
  /// lists or none, it is not clear which one that is, so the option is refused.
  fileprivate func taking(_ arguments: Arguments) throws(UpgradeError) -> Upgrader {
    let hasResources = arguments.resources != nil
    let files = hasResources ? try arguments.files() : (arguments.seed, arguments.migrations)
    var migrations = self.migrations
    if let directory = files.1 {
      var lists = 0
      migrations = migrations.sources.reduce(.directory(directory)) { all, source in
        if case .steps(let steps) = source { return all + Migrations(steps) }
        lists += 1
        return all
      }
      guard lists == 1 else {
        let option = arguments.migrations == nil ? "--resources" : "--migrations"
        throw UpgradeError(
          .path, "\(option) is not for this program",
          fix: "leave it out: the program has not one directory of scripts that it could replace")
      }
    }
    // If the resources that are named have no seed, the program's copy must not be baked instead.
    return Upgrader(
      database: database, seed: files.0.map { .file($0) } ?? (hasResources ? nil : seed),
      migrations: migrations, target: target, options: options, prepare: prepare)
  }
}

extension Arguments {
  /// The seed and the scripts that the options name, or that the resource directory has.
  ///
  /// An option replaces its own default and nothing else. Somebody who names a file or a version
  /// may have no resources.
  fileprivate func files() throws(UpgradeError) -> (seed: String?, migrations: String?) {
    if let seed, let migrations { return (seed, migrations) }
    let isNeeded =
      resources != nil
      || [seed, migrations, from].allSatisfy { $0 == nil }
        && target == nil && to == nil
    let directory = try ResourceDirectory(resources ?? "Resources", isNeeded: isNeeded)
    guard let directory else { return (seed, migrations) }
    var (seed, migrations) = (self.seed, self.migrations)
    if seed == nil {
      let isNeeded = !verb.isForRelease && database == nil && each == nil
      seed = try directory.seed(isNeeded: isNeeded)
    }
    if migrations == nil { migrations = try directory.migrations() }
    return (seed, migrations)
  }
}

/// The directory of `--resources`: it holds one seed and the directory `Migrations`.
private struct ResourceDirectory {
  private let directory: String
  private let names: [String]

  /// Nil if it is not there and not needed.
  init?(_ directory: String, isNeeded: Bool) throws(UpgradeError) {
    self.directory = directory
    do {
      names = try System.names(in: Path(directory)).map { String(decoding: $0, as: UTF8.self) }
        .sorted()
    } catch {
      if error.isNotThere, !isNeeded { return nil }
      if error.isNotThere || error.isNotADirectory {
        throw UpgradeError(
          .missing,
          "\(directory.quoted) is not \(error.isNotThere ? "there" : "a directory")",
          fix: "name the directory of the seed and the scripts with --resources; uplift init NAME "
            + "makes one")
      }
      throw error.isDenied
        ? .unreadable(directory, error.words) : .disk(directory, error.words)
    }
  }

  /// The path of the one file whose name ends like a database's; nil if there is none and none is
  /// needed.
  func seed(isNeeded: Bool) throws(UpgradeError) -> String? {
    let seeds = names.filter { name in
      let isSeed = [".db", ".sqlite", ".sqlite3"].contains { name.lowercased().hasSuffix($0) }
      return isSeed && !name.hasPrefix(".")
    }
    if seeds.count > 1 {
      throw UpgradeError(
        .seed, "\(path(seeds[0]).quoted) and \(path(seeds[1]).quoted) could each be the seed",
        fix: "ship one of them, or name it with --seed")
    }
    guard let seed = seeds.first else {
      if !isNeeded { return nil }
      throw UpgradeError(
        .missing, "\(directory.quoted) has no seed, a file that ends in .db, .sqlite or .sqlite3",
        fix: "ship the seed, or name the database with --database to begin with an empty one")
    }
    // Its bytes were replaced, so the name would mean another file.
    if seed.contains("\u{fffd}") {
      throw .seed(path(seed), "has a name that is not UTF-8", fix: "give it another name")
    }
    return path(seed)
  }

  /// The path of the directory of scripts.
  ///
  /// It must exist, even if it is empty. Otherwise, if the scripts were forgotten in a release, they
  /// would not run and nobody would notice.
  func migrations() throws(UpgradeError) -> String {
    let name = "Migrations"
    // Compared with the listing, because some file systems would find `migrations` as well.
    if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { return path(name) }
    let other = names.first { $0.lowercased() == name.lowercased() }
    let isMissing = "the directory of scripts \(path(name).quoted) is not there"
    throw UpgradeError(
      .missing, other.map { "\(isMissing), \(path($0).quoted) is" } ?? isMissing,
      fix: other == nil
        ? "ship the scripts in it; if there are none, ship it empty"
        : "rename the directory; its name begins with an upper-case M")
  }

  private func path(_ name: String) -> String { directory.appending(component: name) }
}
