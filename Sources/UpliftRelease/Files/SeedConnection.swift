internal import Uplift
internal import UpliftSQLite

/// A connection that reads a seed, and writes nothing beside it.
enum SeedConnection {
  /// Opens the seed, and lets the program prepare the connection.
  static func open(
    _ seed: Seed, prepare: Upgrader.Prepare? = nil, isCancelled: @escaping () -> Bool = { false }
  ) throws(ReleaseError) -> Connection {
    // Also checks that the file is a whole database, and that it has no log of its own.
    _ = try upgrading { () throws(UpgradeError) in try SeedFile.header(of: seed) }
    let deadline = Deadline(patience: .zero, isCancelled: isCancelled)
    let connection = try open(seed, deadline)
    do {
      try connection.prepare(by: prepare, at: seed.name)
    } catch {
      throw .upgrade(error)
    }
    return connection
  }

  private static func open(
    _ seed: Seed, _ deadline: Deadline
  ) throws(ReleaseError) -> Connection {
    do {
      return try seed.open(deadline: deadline)
    } catch {
      throw ReleaseError(error, at: seed.name)
    }
  }
}
