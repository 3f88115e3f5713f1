internal import Uplift
internal import UpliftSystem

extension Run {
  /// The upgrader that the options describe; its database is empty for a verb that has none.
  ///
  /// With `throughNewest`, the target of the program does not count, because it is raised later.
  func upgrader(throughNewest: Bool = false) throws(ErrorReport) -> Upgrader {
    let source =
      if let program { try program.taking(arguments) } else {
        try Upgrader(try Shipped(arguments), arguments)
      }
    return Upgrader(
      database: arguments.database ?? source.database, seed: source.seed,
      migrations: source.migrations,
      target: arguments.target ?? (throughNewest ? nil : source.target), options: arguments.options,
      prepare: arguments.prepare(like: source))
  }
}

extension Upgrader {
  /// What ships, and the database that `--data` holds.
  fileprivate init(_ shipped: Shipped, _ arguments: Arguments) throws(ErrorReport) {
    var database = arguments.database
    if arguments.verb.isForRelease || arguments.each != nil { database = "" }
    // Split by bytes: in a `String`, a slash with a combining mark after it is not a slash.
    let name = shipped.seed?.utf8.split(separator: UInt8(ascii: "/")).last
    if database == nil, let name = name.flatMap({ String(validating: $0, as: UTF8.self) }) {
      database = (arguments.data ?? "data").appending(component: name)
    }
    guard let database else {
      throw ErrorReport(
        usage: "the options do not name the database",
        remedy: "name it with --database, or the seed that it is named like with --seed")
    }
    self.init(
      database: database, seed: shipped.seed.map { .file($0) },
      migrations: shipped.migrations.map { .directory($0) } ?? [])
  }

  /// This upgrader of a program with the seed and the scripts that the options name; the steps in
  /// Swift stay.
  ///
  /// The named directory takes the place of the program's one list of scripts. If the program has
  /// several lists or none, it is not clear which list the directory replaces, so the option is
  /// refused.
  fileprivate func taking(_ arguments: Arguments) throws(ErrorReport) -> Upgrader {
    var shipped = Shipped(seed: arguments.seed, migrations: arguments.migrations)
    if arguments.resources != nil { shipped = try Shipped(arguments) }
    var migrations = self.migrations
    if let directory = shipped.migrations {
      let lists = migrations.sources.count { source in
        if case .steps = source { false } else { true }
      }
      guard lists == 1 else {
        throw .notForProgram(arguments.migrations == nil ? "--resources" : "--migrations")
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

/// The seed and the scripts that the command line names, or that the resource directory has.
///
/// An option replaces its own default and nothing else.
private struct Shipped {
  var seed: String?
  var migrations: String?

  init(seed: String?, migrations: String?) {
    self.seed = seed
    self.migrations = migrations
  }

  init(_ arguments: Arguments) throws(ErrorReport) {
    self.init(seed: arguments.seed, migrations: arguments.migrations)
    if seed != nil, migrations != nil { return }
    do throws(UpgradeError) {
      // These say what is to be done without the directory that nobody has named.
      let suffices =
        arguments.resources == nil && (seed ?? migrations ?? arguments.from) != nil
        || (arguments.target ?? arguments.to) != nil && arguments.resources == nil
      let resources = arguments.resources ?? "Resources"
      guard let directory = try ResourceDirectory(in: resources, isNeeded: !suffices) else {
        return
      }
      let named = arguments.verb.isForRelease || (arguments.database ?? arguments.each) != nil
      if seed == nil { seed = try directory.seed(isNeeded: !named) }
      if migrations == nil { migrations = try directory.migrations() }
    } catch {
      throw ErrorReport(error)
    }
  }
}

/// The directory of `--resources`: it holds one seed and the directory `Migrations`.
private struct ResourceDirectory {
  private let directory: String
  private let names: [String]

  /// Nil if it is not there and not needed.
  init?(in directory: String, isNeeded: Bool) throws(UpgradeError) {
    self.directory = directory
    let found: [[UInt8]]
    do {
      found = try System.names(in: Path(directory))
    } catch {
      if error.isNotThere, !isNeeded { return nil }
      if error.isNotThere || error.isNotADirectory {
        throw UpgradeError(
          .missing,
          "\(directory.quoted) is not \(error.isNotThere ? "there" : "a directory")",
          fix: "name the directory of the seed and the scripts with --resources")
      }
      throw error.isDenied
        ? .unreadable(directory, error.words) : .disk(directory, error.words)
    }
    names = found.map { String(decoding: $0, as: UTF8.self) }.sorted()
    // If bytes were replaced, the name would mean another file.
    if let name = found.first(where: {
      String(decoding: $0, as: UTF8.self).isNameOfSeed
        && String(validating: $0, as: UTF8.self) == nil
    }) {
      throw .seed(
        Path(directory).appending(name).shown, "has a name that is not UTF-8",
        fix: "give it another name")
    }
  }

  /// The path of the one file whose name ends like a database's; nil if there is none and none is
  /// needed.
  func seed(isNeeded: Bool) throws(UpgradeError) -> String? {
    let seeds = names.filter(\.isNameOfSeed)
    if seeds.count > 1 {
      throw UpgradeError(
        .seed, "\(path(seeds[0]).quoted) and \(path(seeds[1]).quoted) could each be the seed",
        fix: "ship one of them, or name it with --seed")
    }
    guard !seeds.isEmpty || !isNeeded else {
      throw UpgradeError(
        .missing, "\(directory.quoted) has no seed, a file that ends in .db, .sqlite or .sqlite3",
        fix: "ship the seed, or name the database with --database to begin with an empty one")
    }
    return seeds.first.map(path)
  }

  /// The path of the directory of scripts.
  ///
  /// It must exist, even if it is empty. Otherwise, if the scripts were forgotten in a release, they
  /// would not run and nobody would notice.
  func migrations() throws(UpgradeError) -> String {
    let name = "Migrations"
    // Compared with the listing, because some file systems would find `migrations` as well.
    guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
      let other = names.first { $0.lowercased() == name.lowercased() }
      let isMissing = "the directory of scripts \(path(name).quoted) is not there"
      throw UpgradeError(
        .missing, other.map { "\(isMissing), \(path($0).quoted) is" } ?? isMissing,
        fix: other == nil
          ? "ship the scripts in it; if there are none, ship it empty"
          : "rename the directory; its name begins with an upper-case M")
    }
    return path(name)
  }

  private func path(_ name: String) -> String { directory.appending(component: name) }
}

extension String {
  fileprivate var isNameOfSeed: Bool {
    let lowercase = lowercased()
    return !hasPrefix(".") && [".db", ".sqlite", ".sqlite3"].contains { lowercase.hasSuffix($0) }
  }
}
