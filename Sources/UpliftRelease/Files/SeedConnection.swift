internal import Uplift
internal import UpliftSQLite

/// A connection that reads a seed, and writes nothing beside it.
enum SeedConnection {
  static func open(
    _ seed: Seed, isCancelled: @escaping () -> Bool = { false }
  ) throws(ReleaseError) -> Connection {
    // Also checks that the file is a whole database, and that it has no log of its own.
    _ = try upgrading { () throws(UpgradeError) in try SeedFile.header(of: seed) }
    let deadline = Deadline(
      patience: .zero, isCancelled: isCancelled, onWait: { _ in }, onPulse: {})
    do {
      return try seed.open(deadline: deadline)
    } catch {
      throw ReleaseError(error, at: seed.name)
    }
  }
}
