/// Brings one database to one version; a program calls it once, at boot.
public struct Upgrader: Sendable {
  package let database: String
  package let seed: Seed?
  package let migrations: Migrations
  package let target: Version?
  package let options: Options

  /// Describes an upgrade; no file is opened before ``upgrade(onEvent:)`` or ``status()``.
  ///
  /// With a target, a boot with nothing to do only opens the database, reads its version and
  /// schema, and closes it. Without a target, the target is the newest step, or the seed's version
  /// if that is higher. Each boot must then list the directory of scripts.
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
