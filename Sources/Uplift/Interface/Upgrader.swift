package import UpliftSystem

/// Brings one database to one version; a program calls it once, at boot.
public struct Upgrader: Sendable {
  package let database: String
  package let seed: Seed?
  package let migrations: Migrations
  package let target: Version?
  package let options: Options
  package let prepare: Prepare?

  /// Describes an upgrade; no file is opened before `upgrade()` or ``status()``.
  ///
  /// With a target, a boot with nothing to do only opens the database and reads its version and
  /// schema. Without one, the target is the newest step, or the seed's version if that is higher,
  /// and each boot lists the directory of scripts.
  public init(
    database: String, seed: Seed? = nil, migrations: Migrations = [], target: Version? = nil,
    options: Options = Options(), prepare: Prepare? = nil
  ) {
    self.database = database
    self.seed = seed
    self.migrations = migrations
    self.target = target
    self.options = options
    self.prepare = prepare
  }

  /// Adds the program's own collations, functions and virtual tables to a connection.
  ///
  /// Without them a script fails if it touches a table or index that uses them. `ALTER TABLE` even
  /// fails on every table if one index of the database has an unknown collation.
  ///
  /// ```swift
  /// let upgrader = Upgrader(database: path, seed: seed, migrations: migrations, target: 3) {
  /// handle in
  ///   guard sqlite3_create_collation(handle, "GERMAN", SQLITE_UTF8, nil, compare) == SQLITE_OK
  ///   else { throw CollationError() }
  /// }
  /// ```
  ///
  /// Uplift calls it with the `sqlite3 *` of each connection that runs steps, before the first
  /// step, and of each that checks a database, compares a schema or runs `VACUUM INTO`. It is not
  /// called if there is nothing to do, nor for ``Upgrader/status()``. It must do the same each
  /// time, may be called on another thread, and must neither close nor keep the handle.
  ///
  /// `prepare` may read the database. Every write is refused; so are `ATTACH`, transactions,
  /// temporary tables and pragmas that set something. If it throws, no step runs on the connection,
  /// and the upgrade throws ``UpgradeError/Kind/preparation``.
  public typealias Prepare = @Sendable (_ handle: OpaquePointer) throws -> Void
}

/// The database that is copied if there is no database yet.
///
/// Any SQLite database can be a seed. Its `user_version` is the number of the last script whose
/// changes it has; only the scripts with a higher number run.
public struct Seed: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    case file(Path)
    case bytes([UInt8])
  }

  package let source: Source

  /// The seed's name in an error: its path, or `bytes`.
  package var name: String {
    if case .file(let path) = source { path.shown } else { "bytes" }
  }

  /// A file among the program's resources; it and its directory may be read-only.
  public static func file(_ path: String) -> Seed { file(Path(path)) }

  package static func file(_ path: Path) -> Seed { Seed(source: .file(path)) }

  /// The bytes of a database file, for a program that contains its seed.
  public static func bytes(_ bytes: [UInt8]) -> Seed { Seed(source: .bytes(bytes)) }
}

// Outside the package they are only members of `Upgrader`: GRDB and Fluent have the same names.
package typealias Migration = Upgrader.Migration
package typealias Migrations = Upgrader.Migrations
