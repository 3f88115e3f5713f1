internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

/// A directory for the files that a release tool works on; it is removed with all its files.
struct ScratchDirectory: ~Copyable {
  private let path: Path

  /// `parent` is the directory to make it in; if it is nil, the directory of temporary files.
  init(in parent: String? = nil) throws(UpgradeError) {
    let directory = parent.map { Path($0) } ?? System.temporaryDirectory
    let made: Path
    do {
      made = try System.resolve(try System.makeScratchDirectory(in: directory))
    } catch {
      if error.isNotThere { throw .missingDirectory(directory.shown) }
      throw UpgradeError(error, at: directory)
    }
    // Uplift passes the paths of databases in it as text, which would name another file.
    guard String(validating: made.bytes, as: UTF8.self) != nil else {
      System.discardDirectory(made)
      throw .path(
        directory.shown, "is a directory whose path is not UTF-8",
        fix: "name a directory whose path is UTF-8; for temporary files, set TMPDIR")
    }
    path = made
  }

  deinit {
    System.discardDirectory(path)
  }

  /// The path of a file in it.
  borrowing func callAsFunction(_ name: String) -> Path { path.appending(name.utf8) }

  /// Copies a seed into it.
  static func copy(
    _ seed: Seed, to new: Path, isCancelled: () -> Bool
  ) throws(UpgradeError) {
    let isWhole = try UpgradeError.at(new) { () throws(SystemError) in
      let copy = try OpenFile.creating(new)
      return switch seed.source {
      case .file(let path): try copy.copyAll(of: try OpenFile.reading(path), isStopped: isCancelled)
      case .bytes(let bytes): try copy.writeAll(bytes, isStopped: isCancelled)
      }
    }
    if !isWhole { throw .stopped }
  }

  /// Removes a database and SQLite's files beside it.
  borrowing func discardDatabase(_ path: Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] { System.discard(path + suffix) }
  }
}

/// Opens a seed for reading, without writing anything beside it, or a database of the scratch
/// directory.
enum SeedConnection {
  /// Opens the seed, and lets the program prepare the connection.
  static func open(
    _ seed: Seed, prepare: Upgrader.Prepare? = nil, isCancelled: @escaping () -> Bool = { false }
  ) throws(UpgradeError) -> Connection {
    // Also checks that the file is a whole database, and that it has no log of its own.
    _ = try SeedFile.header(of: seed)
    return try prepared(by: prepare, at: seed.name, isCancelled) { deadline throws(SQLiteError) in
      try seed.open(deadline: deadline)
    }
  }

  /// Opens a database of the scratch directory; a seed can be attached to it.
  ///
  /// The connection may write, because SQLite does not read the `CHECK` constraints of a database
  /// that it may not write. On a read-only connection, an integrity check passes over them, and
  /// `VACUUM` gives new identifiers to the rows of a table with a `CHECK` (seen in SQLite 3.40).
  static func openCopy(
    _ path: Path, prepare: Upgrader.Prepare?, isCancelled: @escaping () -> Bool = { false }
  ) throws(UpgradeError) -> Connection {
    try prepared(by: prepare, at: path.shown, isCancelled) { deadline throws(SQLiteError) in
      try Connection(path: path.bytes, access: .readWriteBesideSeed, deadline: deadline)
    }
  }

  /// Does some work in a database of the scratch directory.
  static func withCopy<Result>(
    _ path: Path, prepare: Upgrader.Prepare? = nil, isCancelled: @escaping () -> Bool,
    _ work: (borrowing Connection) throws(SQLiteError) -> Result
  ) throws(UpgradeError) -> Result {
    let connection = try openCopy(path, prepare: prepare, isCancelled: isCancelled)
    do {
      return try work(connection)
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
  }

  private static func prepared(
    by prepare: Upgrader.Prepare?, at path: String, _ isCancelled: @escaping () -> Bool,
    _ open: (Deadline) throws(SQLiteError) -> Connection
  ) throws(UpgradeError) -> Connection {
    let connection: Connection
    do {
      connection = try open(Deadline(patience: .zero, isCancelled: isCancelled))
    } catch {
      throw UpgradeError(error, at: path)
    }
    try connection.prepare(by: prepare, at: path)
    return connection
  }
}

extension Upgrader {
  /// Upgrades a database of a scratch directory.
  func upgradeCopy(
    _ path: Path, beside seed: Seed?, by steps: [Migration], through target: Version,
    ifMissing: IfMissing, isCancelled: @escaping () -> Bool,
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) {
    do throws(UpgradeError) {
      _ = try Upgrader(
        database: path.shown, seed: seed, migrations: Migrations(steps), target: target,
        options: options.onScratch(ifMissing: ifMissing), prepare: prepare
      ).upgrade(isCancelled: isCancelled, onEvent: onEvent)
    } catch {
      throw error.onScratch
    }
  }
}

extension Upgrader.Options {
  /// The options for the upgrade of a database in a scratch directory, of which no backup is made.
  func onScratch(ifMissing: Upgrader.IfMissing) -> Upgrader.Options {
    var options = self
    options.ifMissing = ifMissing
    options.backup = nil
    return options
  }
}
