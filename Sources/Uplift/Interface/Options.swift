extension Upgrader {
  /// Choices for an upgrade; the defaults are safe for a service.
  public struct Options: Hashable, Sendable {
    /// The time that the whole upgrade may wait for other processes that hold the database, before
    /// it throws ``UpgradeError/Kind/busy``.
    public var patience: Duration
    /// The way to begin if there is no database, or an empty one.
    public var ifMissing: IfMissing
    /// Accepts `"text"` as a string if no column has that name.
    ///
    /// Old SQL may need it. It is off, because otherwise `DELETE FROM t WHERE "nosuch" = 'nosuch'`
    /// deletes all rows.
    public var doubleQuotedStrings: Bool
    /// Skips and reports a statement that creates a table, index, view, trigger or column that
    /// already exists; every other statement that fails is still an error.
    public var skipsDuplicates: Bool
    /// The foreign keys that are checked for new orphans after each script.
    public var foreignKeys: ForeignKeyCheck
    /// The time for which scripts may share one commit, which saves syncs; zero gives each its own.
    ///
    /// After a crash, more scripts may have to run again.
    public var commitInterval: Duration
    /// The place for a copy of the database, made before the first script; nil for none.
    public var backup: Backup?
    /// Lets SQLite renew statistics that are out of date, after steps have run.
    public var optimizes: Bool

    /// The defaults, but for what is given.
    public init(
      patience: Duration = .seconds(60), ifMissing: IfMissing = .seed,
      doubleQuotedStrings: Bool = false, skipsDuplicates: Bool = false,
      foreignKeys: ForeignKeyCheck = .touched, commitInterval: Duration = .milliseconds(100),
      backup: Backup? = nil, optimizes: Bool = false
    ) {
      self.patience = patience
      self.ifMissing = ifMissing
      self.doubleQuotedStrings = doubleQuotedStrings
      self.skipsDuplicates = skipsDuplicates
      self.foreignKeys = foreignKeys
      self.commitInterval = commitInterval
      self.backup = backup
      self.optimizes = optimizes
    }
  }

  /// A copy of the database before an upgrade.
  ///
  /// If scripts are pending, the upgrade copies the database and runs them under one write lock, so
  /// nothing is written between. A database that the upgrade itself has made is not copied.
  ///
  /// The copy of version 4 may be called `guestbook-1f3a9c02-0007-v4.db`, with a part of the hash
  /// of the database's path, and a number that is one above the highest there. No file is replaced.
  /// Of one version only the first and the newest stay.
  public struct Backup: Hashable, Sendable {
    /// The directory; it is made if its parent is there.
    public var directory: String
    /// How many of the newest backups stay after an upgrade that has succeeded; at least one does.
    public var keep: Int

    /// A directory, and the number of backups to keep in it.
    public init(directory: String, keep: Int = 2) {
      self.directory = directory
      self.keep = keep
    }
  }

  /// A way to begin if there is no database, or an empty one.
  @nonexhaustive
  public enum IfMissing: Hashable, Sendable {
    /// Copy the seed; if no seed is given, make an empty database.
    case seed
    /// Make an empty database and run every script.
    case empty
    /// Throw an error, because the database should have been mounted or restored before.
    case fail
  }

  /// The foreign keys that are checked for new orphans after each script.
  @nonexhaustive
  public enum ForeignKeyCheck: Hashable, Sendable {
    /// Those that the script may have broken: of the tables that it changed, or leading to them.
    case touched
    /// All foreign keys of the database.
    case all
    /// None; a script may leave orphans.
    case none
  }
}
