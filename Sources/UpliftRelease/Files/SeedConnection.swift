internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

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
    return try prepared(try open(seed, deadline), by: prepare, at: seed.name)
  }

  /// Opens a database of the scratch directory.
  ///
  /// The connection may write, because SQLite does not read the `CHECK` constraints of a database
  /// that it may not write. On a read-only connection, an integrity check passes over them, and
  /// `VACUUM` gives new identifiers to the rows of a table with a `CHECK` (seen in SQLite 3.40).
  static func openCopy(
    _ path: Path, prepare: Upgrader.Prepare?, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) -> Connection {
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    let connection: Connection
    do {
      connection = try Connection(path: path.bytes, access: .readWrite, deadline: deadline)
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
    return try prepared(connection, by: prepare, at: path.shown)
  }

  /// Opens a database of the scratch directory, with the seed attached.
  static func openCopy(
    _ path: Path, beside seed: Seed, prepare: Upgrader.Prepare?
  ) throws(UpgradeError) -> Connection {
    let deadline = Deadline(patience: .zero, isCancelled: { false })
    let opened: Connection
    do throws(SQLiteError) {
      opened = try Connection(path: path.bytes, access: .readWriteBesideSeed, deadline: deadline)
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
    let connection = try prepared(opened, by: prepare, at: path.shown)
    do throws(SQLiteError) {
      try seed.attach(to: connection)
    } catch {
      throw UpgradeError(error, at: seed.name)
    }
    return connection
  }

  /// Makes an empty database in a text encoding, if SQLite would not choose that one.
  ///
  /// A script that reads the seed cannot read one in another encoding than the databases in use.
  static func makeEmpty(
    _ path: Path, in encoding: String?, isCancelled: @escaping () -> Bool
  ) throws(UpgradeError) {
    guard let encoding, encoding != "UTF-8" else { return }
    try NewFile.write([], to: path)
    let connection = try openCopy(path, prepare: nil, isCancelled: isCancelled)
    do throws(SQLiteError) {
      // The first table fixes the encoding.
      for sql in ["PRAGMA encoding = '\(encoding)'", "CREATE TABLE first(a)", "DROP TABLE first"] {
        try connection.run(sql)
      }
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
  }

  private static func prepared(
    _ connection: consuming Connection, by prepare: Upgrader.Prepare?, at path: String
  ) throws(UpgradeError) -> Connection {
    do {
      try connection.prepare(by: prepare, at: path)
    } catch {
      throw error
    }
    return connection
  }

  private static func open(
    _ seed: Seed, _ deadline: Deadline
  ) throws(UpgradeError) -> Connection {
    do {
      return try seed.open(deadline: deadline)
    } catch {
      throw UpgradeError(error, at: seed.name)
    }
  }
}
