internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// A release: a check, and then the files that record it.
///
/// The lock file is written last. So a release that was interrupted is no release, and the next one
/// writes what is missing.
struct Releasing {
  private let upgrader: Upgrader
  private let directory: ReleasedDirectory?
  private let isCancelled: () -> Bool
  private var files: [String] = []

  init(
    _ upgrader: Upgrader, in directory: ReleasedDirectory?, isCancelled: @escaping () -> Bool
  ) {
    self.upgrader = upgrader
    self.directory = directory
    self.isCancelled = isCancelled
  }

  /// Writes the files whose content has changed, and returns the version and their paths.
  mutating func record() throws(UpgradeError) -> (version: Version, files: [String]) {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let seed = try upgrader.seed.map { seed throws(UpgradeError) in
      try SeedFile.header(of: seed).version
    }
    let newest = max(scripts.catalog.newest ?? .zero, seed ?? .zero)
    let version = (upgrader.target ?? newest).written(like: newest)
    if let directory {
      let held = try directory.lock()
      if let seed { try keepSeed(at: seed, in: directory) }
      try write(
        schema(scripts, at: version), to: directory.path.appending("schema.sql".utf8))
      _ = consume held
    }
    for directory in upgrader.migrations.directories {
      let released = try ReleasedScripts(in: directory, of: scripts)
      let directory = Path(directory)
      let opened = try UpgradeError.at(directory) { () throws(SystemError) in
        try OpenFile.directory(directory)
      }
      try opened.waitForLock(directory)
      try write(
        released.lockFile(through: upgrader.target, newest: version),
        to: directory.appending(LockFile.name.utf8))
    }
    return (version, files)
  }

  /// Copies the seed; a released seed is never replaced.
  private mutating func keepSeed(
    at version: Version, in directory: ReleasedDirectory
  ) throws(UpgradeError) {
    guard case .file(let seed)? = upgrader.seed?.source else { return }
    let copy = directory.path.appending(VersionedName(of: seed).name(at: version))
    guard try NewFile.facts(copy) == nil else {
      guard try FileComparison.areEqual(seed, copy) else {
        throw UpgradeError(
          .seed,
          "\(copy.shown.quoted) was released, and is not the seed, which is at \(version), too",
          fix: "if the rows have changed, run uplift bake --content; if \(version) was never "
            + "released, remove the file")
      }
      return
    }
    let before = try NewFile.facts(seed)
    try NewFile.copy(seed, to: copy, isCancelled: isCancelled)
    guard try NewFile.facts(seed) == before else {
      System.discard(copy)
      throw .changedSeed(seed.shown)
    }
    files.append(copy.shown)
  }

  /// The schema that a new database has at a version, as text.
  private func schema(
    _ scripts: ShippedScripts, at version: Version
  ) throws(UpgradeError) -> [UInt8] {
    let scratch = try ScratchDirectory()
    let path = scratch("new.db")
    do {
      _ = try Upgrader(
        database: path.shown, seed: upgrader.seed, migrations: Migrations(scripts.catalog.all),
        target: version, options: upgrader.options.onScratch(ifMissing: .seed),
        prepare: upgrader.prepare
      ).upgrade(isCancelled: isCancelled, onEvent: { _ in })
    } catch {
      throw error.onScratch
    }
    return try SchemaText.read(from: .file(path))
  }

  private mutating func write(_ text: [UInt8], to path: Path) throws(UpgradeError) {
    if let facts = try NewFile.facts(path) {
      guard facts.kind == .file else { throw .notAFile(path.shown) }
      let old = try UpgradeError.at(path) { () throws(SystemError) in
        try OpenFile.reading(path).readStart(Int(facts.size))
      }
      if old == text { return }
    }
    try NewFile.replace(path, by: text)
    files.append(path.shown)
  }
}

/// The schema of a database as text that people can review.
enum SchemaText {
  /// A line for the version, one for the `application_id` if there is one, and each statement.
  ///
  /// The statements are sorted by their tables: a table comes before its indexes and triggers.
  static func read(from seed: Seed) throws(UpgradeError) -> [UInt8] {
    let connection = try SeedConnection.open(seed)
    do throws(SQLiteError) {
      let version = try connection.integer("PRAGMA user_version")
      let owner = try connection.integer("PRAGMA application_id")
      var text = Array("PRAGMA user_version = \(version);\n".utf8)
      if owner != 0 { text += "PRAGMA application_id = \(owner);\n".utf8 }
      let rows = try connection.prepare(
        """
        SELECT sql FROM sqlite_master
        WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY tbl_name COLLATE NOCASE, instr('table index view trigger', type), name
        """)
      while try rows.step() {
        text += rows.withText(0) { [0x0a] + Array($0) + Array(";\n".utf8) }
      }
      return text
    } catch {
      throw UpgradeError(error, at: seed.name)
    }
  }
}
