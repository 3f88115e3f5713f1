internal import UpliftSQLite
internal import UpliftSystem
public import Uplift

extension Upgrader {
  /// Checks everything, and records the release if nothing stops it.
  ///
  /// It writes `uplift.lock` beside the scripts, the seed as `guestbook-7.db` in the directory of
  /// released seeds, and the schema there as `schema.sql`. To release twice in a row changes nothing.
  /// `released` is that directory; without it, it is `Released` beside the directory of the seed.
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
      upgrader: self, directory: try ReleasedDirectory(released, of: self),
      isCancelled: isCancelled)
    let version = try releasing.record()
    return Release(version: version, check: check, files: releasing.files)
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

/// The files that record a release.
///
/// The lock file is written last. So a release that was interrupted is no release, and the next one
/// writes what is missing.
struct Releasing {
  let upgrader: Upgrader
  let directory: ReleasedDirectory?
  let isCancelled: () -> Bool
  private(set) var files: [String] = []

  /// Writes the files, and returns the version that is released.
  mutating func record() throws(UpgradeError) -> Version {
    let scripts = try ShippedScripts(of: upgrader.migrations)
    let seed = try upgrader.seedHeader()?.version
    let newest = max(seed ?? .zero, scripts.catalog.newest ?? .zero)
    let version = (upgrader.target ?? newest).written(like: newest)
    if let path = directory?.path {
      let schema = try schema(scripts, at: version)
      _ = try UpgradeError.at(path) { () throws(SystemError) in try System.makeDirectory(path) }
      try NewFile.locked(path) { () throws(UpgradeError) in
        if let seed { try keepSeed(at: seed.written(like: newest), in: path) }
        try write(schema, to: path.appending("schema.sql".utf8))
      }
    }
    for name in upgrader.migrations.directories {
      let text = try ReleasedScripts(in: name, of: scripts)
        .lockFile(through: upgrader.target, newest: version)
      try NewFile.locked(Path(name)) { () throws(UpgradeError) in
        try write(text, to: Path(name).appending(LockFile.name.utf8))
      }
    }
    return version
  }

  /// Copies the seed; a released seed is never replaced.
  private mutating func keepSeed(
    at version: Version, in directory: Path
  ) throws(UpgradeError) {
    guard case .file(let seed)? = upgrader.seed?.source else { return }
    let copy = directory.appending(VersionedName(of: seed).name(at: version))
    if try copy.facts() != nil {
      if try NewFile.areEqual(seed, copy) { return }
      throw UpgradeError(
        .seed,
        "\(copy.shown.quoted) was released, and is not the seed, which is at \(version), too",
        fix: "if the rows have changed, run uplift bake --content; if \(version) was never "
          + "released, remove the file")
    }
    try NewFile.copy(seed, to: copy, isCancelled: isCancelled)
    files.append(copy.shown)
  }

  /// The schema that a new database has at a version, as text.
  private func schema(
    _ scripts: ShippedScripts, at version: Version
  ) throws(UpgradeError) -> [UInt8] {
    let scratch = try ScratchDirectory()
    let path = scratch("new.db")
    try upgrader.upgradeCopy(
      path, beside: upgrader.seed, by: scripts.catalog.all, through: version, ifMissing: .seed,
      isCancelled: isCancelled)
    return try SchemaText.read(from: .file(path))
  }

  /// Writes a file, unless it has this text already.
  private mutating func write(_ text: [UInt8], to path: Path) throws(UpgradeError) {
    if try path.facts() != nil {
      let old = try UpgradeError.at(path) { () throws(SystemError) in
        try OpenFile.reading(path).readStart(text.count + 1)
      }
      if old == text { return }
    }
    try NewFile.write(text, to: path, replaces: true)
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
    let here = Path(".")
    let beside = resources == here ? Path("..") : resources.parent
    let usual = beside == here ? Path("Released") : beside.appending("Released".utf8)
    path = name.map { Path($0) } ?? usual
  }

  /// The directories of older databases: the released seeds, if there are any, and the fixtures.
  static func older(
    than upgrader: Upgrader, _ name: String?, _ fixtures: [String]
  ) throws(UpgradeError) -> [String] {
    guard let path = try ReleasedDirectory(name, of: upgrader)?.path, try path.facts() != nil,
      try !StartingPoint.fixtures(in: path.shown).isEmpty
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
