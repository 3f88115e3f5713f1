/// Brings one database up to one version: call it once, at boot.
public struct Upgrader: Sendable {
  package let database: String
  package let seed: Seed?
  package let migrations: Migrations
  package let target: Version?
  package let options: Options

  /// Nothing is touched before ``upgrade(onEvent:)``.
  ///
  /// With a target, a boot with nothing to do opens the database, reads its version and closes
  /// it. Without one the target is the newest script, and the directory must be listed to know it.
  public init(
    database: String,
    seed: Seed? = nil,
    migrations: Migrations = [],
    target: Version? = nil,
    options: Options = Options()
  ) {
    self.database = database
    self.seed = seed
    self.migrations = migrations
    self.target = target
    self.options = options
  }
}
