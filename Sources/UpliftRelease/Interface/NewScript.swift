internal import UpliftSQLite
internal import UpliftSystem
package import Uplift

/// Writes the next script of a directory, and never replaces a file.
package struct NewScript {
  private let directory: String
  private let migrations: Migrations
  private let seed: Seed?

  /// `migrations` are all steps of the program: the directory, and those that have numbers
  /// elsewhere.
  package init(in directory: String, of migrations: Migrations, seed: Seed?) {
    self.directory = directory
    self.migrations = migrations
    self.seed = seed
  }

  /// Makes a file for the next script; somebody must fill it in before it can run.
  package func write(_ words: [String]) throws(UpgradeError) -> String {
    try Self.locked(directory) { () throws(UpgradeError) in
      let catalog = try Catalog(of: migrations)
      let style = try style()
      let version = try next(style, in: catalog, try seedVersion())
      return try publish("-- uplift: unfinished\n", style.name(version, words), version)
    }
  }

  /// Writes a script that brings the seed's rows of some tables to existing databases.
  ///
  /// It has the number of the seed, or the next one if another step has that number. It is refused
  /// if a step is above the seed, because the seed may then have fewer columns than the database.
  package func write(
    refreshing tables: [String], overwrites: Bool = false
  ) throws(UpgradeError) -> String {
    guard let seed else { throw .noSeed }
    return try Self.locked(directory) { () throws(UpgradeError) in
      let scripts = try ShippedScripts(of: migrations)
      if let other = scripts.readingSeed.first {
        throw UpgradeError(
          .scripts,
          "\(other.migration.path.quoted) reads the seed already, and only one script may",
          fix: "add the tables to that script")
      }
      let atSeed = try seedVersion()
      if let step = scripts.all.first(where: { $0.migration.version > atSeed })?.migration {
        throw UpgradeError(
          .scripts, "\(step.path.quoted) is above the seed, which is at \(atSeed)",
          fix: "run uplift bake first: the seed then has all columns")
      }
      let upgrader = Upgrader(database: "", seed: seed, migrations: migrations)
      let style = try style()
      let writer = ContentWriter(for: upgrader, released: nil)
      let released = try writer.releasedSeeds().last?.version ?? .zero
      let isFree = atSeed > released && !scripts.catalog.contains(atSeed)
      let version = isFree ? atSeed : try next(style, in: scripts.catalog, atSeed)
      let text = try writer.text(
        refreshing: tables, in: seed, at: version, overwrites: overwrites)
      return try publish(text, style.name(version, Self.words(tables)), version)
    }
  }

  /// The words of the name, from the names of the tables.
  private static func words(_ tables: [String]) -> [String] {
    guard tables.count <= 3 else { return ["refresh"] }
    let names = tables.map { table in
      table.map { character in
        character.isASCII && (character.isLetter || character.isNumber) ? String(character) : "_"
      }.joined()
    }
    return ["refresh"] + names.map { String($0.prefix(40)) }
  }

  /// The version of the seed; 0 without a seed.
  private func seedVersion() throws(UpgradeError) -> Version {
    guard let seed else { return .zero }
    return try SeedFile.header(of: seed).version
  }

  /// The style of the newest script of the directory.
  ///
  /// A step in the program has a number and a name, and no file whose name could be continued.
  private func style() throws(UpgradeError) -> ScriptStyle {
    let catalog = try Catalog(of: .directory(directory))
    return ScriptStyle(newest: catalog.all.last?.name)
  }

  /// The number after the newest step, the seed, and the newest released version.
  private func next(
    _ style: ScriptStyle, in catalog: Catalog, _ seed: Version
  ) throws(UpgradeError) -> Version {
    let released = try Migrations.directory(directory).newestReleased()
    let latest = max(catalog.newest ?? .zero, seed, released)
    guard let next = style.next(after: latest, today: System.stamp()) else {
      throw .noNumberLeft(after: latest.written(like: catalog.newest ?? latest))
    }
    return next
  }

  /// Writes the file whole under a temporary name, and then gives the file its final name.
  private func publish(
    _ text: String, _ name: String, _ version: Version
  ) throws(UpgradeError) -> String {
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(where: { $0 < 0x20 }),
      ScriptName.version(of: name) == version
    else {
      throw .path(
        name, "is not a name for a script",
        fix: "use words of letters and digits; the first word must not begin with a digit")
    }
    let path = Path(directory).appending(name.utf8)
    try NewFile.write(Array(text.utf8), to: path)
    return path.shown
  }

  /// Does some work while no other `uplift new` works in the directory.
  static func locked<Result>(
    _ directory: String, _ work: () throws(UpgradeError) -> Result
  ) throws(UpgradeError) -> Result {
    let path = Path(directory)
    let opened: OpenFile
    do {
      opened = try OpenFile.directory(path)
    } catch {
      throw error.isNotThere || error.isNotADirectory
        ? .missingScripts(directory) : UpgradeError(error, at: path)
    }
    try opened.waitForLock(path)
    return try work()
  }
}
