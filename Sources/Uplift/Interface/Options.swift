extension Upgrader {
  /// What can be chosen; the defaults are the design's.
  public struct Options: Hashable, Sendable {
    /// How long the whole upgrade may wait for others who hold the database.
    public var patience: Duration = .seconds(60)
    /// What to do where there is no database.
    public var ifMissing: IfMissing = .seed
    /// What to do with a journal that has lost its database.
    public var orphanedJournals: OrphanedJournals = .refuse
    /// Takes `"text"` for a string where no column has that name, as old SQL does.
    ///
    /// Off, because `DELETE FROM t WHERE "nosuch" = 'nosuch'` would then empty the table.
    public var doubleQuotedStrings = false
    /// Skips a statement that makes a table, an index, a view, a trigger or a column that is there
    /// already, and reports it; everything else that fails still fails.
    public var skipsDuplicates = false
    /// Which references are checked after each script.
    public var foreignKeys: ForeignKeyCheck = .touched
    /// How long scripts may share one commit; zero gives each script its own.
    public var commitInterval: Duration = .milliseconds(100)

    public init() {}
  }

  /// What to do where there is no database.
  @nonexhaustive
  public enum IfMissing: Hashable, Sendable {
    /// Copy the seed; create an empty database where no seed is given.
    case seed
    /// Create an empty database and run every script.
    case empty
    /// Refuse: for a volume that must have been mounted or restored before.
    case fail
  }

  /// What to do with a journal that has lost its database, where one is to be made.
  @nonexhaustive
  public enum OrphanedJournals: Hashable, Sendable {
    /// Refuse: it may be the only copy of somebody's data.
    case refuse
    /// Give it another name, which says why and when, and go on.
    case moveAside
  }

  /// Which references are checked after each script.
  @nonexhaustive
  public enum ForeignKeyCheck: Hashable, Sendable {
    /// Those of the tables that the script touched, and those to them.
    case touched
    /// All of the database.
    case all
    /// None.
    case none
  }
}
