internal import UpliftSQLite
internal import UpliftSystem
public import Uplift

extension Upgrader {
  /// Checks everything, and records the release if nothing stops it.
  ///
  /// It writes `uplift.lock` beside the scripts, the seed as `guestbook-7.db` in the directory of
  /// released seeds, and the schema there as `schema.sql`. To release twice in a row changes nothing.
  /// `released` is that directory; without it, it is `Released` beside the directory of the seed.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// let release = try upgrader.release()
  /// ```
  @discardableResult
  public func release(
    released: String? = nil, fixtures: [String] = [],
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Release {
    let check = try check(
      released: released, fixtures: fixtures, isCancelled: isCancelled, onEvent: onEvent)
    guard check.findings.isEmpty else { return Release(version: nil, check: check, files: []) }
    var releasing = Releasing(
      self, in: try ReleasedDirectory(released, of: self), isCancelled: isCancelled)
    let (version, files) = try releasing.record()
    return Release(version: version, check: check, files: files)
  }
}

/// The report of ``Upgrader/release(released:fixtures:isCancelled:onEvent:)``.
public struct Release: Hashable, Sendable {
  /// The version that was released; nil if the findings of the check forbid it.
  public let version: Version?
  /// What the check has found.
  public let check: Check
  /// The paths of the files that were written; empty if all of them were there.
  public let files: [String]
}

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
    let newest = max(seed ?? .zero, scripts.catalog.newest ?? .zero)
    let version = (upgrader.target ?? newest).written(like: newest)
    if let directory {
      let held = try Self.lock(directory.path, makes: true)
      if let seed { try keepSeed(at: seed.written(like: newest), in: directory) }
      try write(schema(scripts, at: version), to: directory.path.appending("schema.sql".utf8))
      _ = consume held
    }
    for name in upgrader.migrations.directories {
      let released = try ReleasedScripts(in: name, of: scripts)
      let held = try Self.lock(Path(name), makes: false)
      try write(
        released.lockFile(through: upgrader.target, newest: version),
        to: Path(name).appending(LockFile.name.utf8))
      _ = consume held
    }
    return (version, files)
  }

  /// Opens a directory, and waits while another process writes in it.
  ///
  /// Without the lock, each of two writers would take the other's new file for a leftover.
  private static func lock(_ path: Path, makes: Bool) throws(UpgradeError) -> OpenFile {
    let directory = try UpgradeError.at(path) { () throws(SystemError) in
      if makes { _ = try System.makeDirectory(path) }
      return try OpenFile.directory(path)
    }
    try directory.waitForLock(path)
    return directory
  }

  /// Copies the seed; a released seed is never replaced.
  private mutating func keepSeed(
    at version: Version, in directory: ReleasedDirectory
  ) throws(UpgradeError) {
    guard case .file(let seed)? = upgrader.seed?.source else { return }
    let copy = directory.path.appending(VersionedName(of: seed).name(at: version))
    if try NewFile.facts(copy) != nil {
      if try NewFile.areEqual(seed, copy) { return }
      throw UpgradeError(
        .seed,
        "\(copy.shown.quoted) was released, and is not the seed, which is at \(version), too",
        fix: "if the rows have changed, run uplift bake --content; if \(version) was never "
          + "released, remove the file")
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

/// The directory `Released`, which stays in the repository: the seed of each release, as
/// `guestbook-3.db`, and the schema as text.
struct ReleasedDirectory {
  let path: Path

  /// The directory with this name, or else `Released` beside the directory that holds the seed, or
  /// else the scripts; nil if neither is a file.
  ///
  /// A directory inside that one would ship.
  init?(_ name: String?, of upgrader: Upgrader) throws(UpgradeError) {
    let seed = if case .file(let seed)? = upgrader.seed?.source { seed } else { nil as Path? }
    let scripts = upgrader.migrations.directories.first.map { Path($0) }
    guard let resources = (seed ?? scripts)?.parent else {
      guard let name else { return nil }
      path = Path(name)
      return
    }
    let here = Array(".".utf8)
    let beside = resources.bytes == here ? Path("..") : resources.parent
    let usual = beside.bytes == here ? Path("Released") : beside.appending("Released".utf8)
    path = name.map { Path($0) } ?? usual
    guard let identity = try NewFile.facts(resources)?.identity else { return }
    let there = try NewFile.facts(path) == nil ? path.parent : path
    guard try NewFile.facts(there) != nil else { throw .missingDirectory(there.shown) }
    var directory = try UpgradeError.at(there) { () throws(SystemError) in
      try System.resolve(there)
    }
    while directory.bytes.count > 1 {
      if try NewFile.facts(directory)?.identity == identity {
        throw .path(
          path.shown, "is inside the resources, and would ship with them",
          fix: "name a directory beside them with --released")
      }
      directory = directory.parent
    }
  }

  /// The directories of older databases: the released seeds, if there are any, and the fixtures.
  static func older(
    than upgrader: Upgrader, _ name: String?, _ fixtures: [String]
  ) throws(UpgradeError) -> [String] {
    guard let path = try ReleasedDirectory(name, of: upgrader)?.path,
      try NewFile.facts(path) != nil, try !StartingPoint.fixtures(in: path.shown).isEmpty
    else { return fixtures }
    return [path.shown] + fixtures
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
