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
    // Uplift passes the paths of databases in it as text. If the bytes were not UTF-8, the text
    // would name another file.
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

  /// Removes a database and SQLite's files beside it.
  borrowing func discardDatabase(_ path: Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] { System.discard(path + suffix) }
  }

  /// The path of a file in it.
  borrowing func callAsFunction(_ name: String) -> Path { path.appending(name.utf8) }
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
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    return try prepared(by: prepare, at: seed.name) { () throws(SQLiteError) in
      try seed.open(deadline: deadline)
    }
  }

  /// Opens a database of the scratch directory, with the seed attached if it is given.
  ///
  /// The connection may write, because SQLite does not read the `CHECK` constraints of a database
  /// that it may not write. On a read-only connection, an integrity check passes over them, and
  /// `VACUUM` gives new identifiers to the rows of a table with a `CHECK` (seen in SQLite 3.40).
  static func openCopy(
    _ path: Path, beside seed: Seed? = nil, prepare: Upgrader.Prepare?,
    isCancelled: @escaping () -> Bool = { false }
  ) throws(UpgradeError) -> Connection {
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    let access = seed == nil ? Connection.Access.readWrite : .readWriteBesideSeed
    let connection = try prepared(by: prepare, at: path.shown) { () throws(SQLiteError) in
      try Connection(path: path.bytes, access: access, deadline: deadline)
    }
    do {
      try seed?.attach(to: connection)
    } catch {
      throw UpgradeError(error, at: seed?.name ?? path.shown)
    }
    return connection
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

  /// Makes an empty database in a text encoding, if SQLite would not choose that one.
  ///
  /// A script that reads the seed cannot read one in another encoding than the databases in use.
  static func makeEmpty(
    _ path: Path, in encoding: String?, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    guard let encoding, encoding != "UTF-8" else { return }
    try NewFile.write([], to: path)
    try withCopy(path, isCancelled: isCancelled) { connection throws(SQLiteError) in
      // The first table fixes the encoding.
      for sql in ["PRAGMA encoding = '\(encoding)'", "CREATE TABLE first(a)", "DROP TABLE first"] {
        try connection.run(sql)
      }
    }
  }

  private static func prepared(
    by prepare: Upgrader.Prepare?, at path: String, _ open: () throws(SQLiteError) -> Connection
  ) throws(UpgradeError) -> Connection {
    let connection: Connection
    do {
      connection = try open()
    } catch {
      throw UpgradeError(error, at: path)
    }
    try connection.prepare(by: prepare, at: path)
    return connection
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
