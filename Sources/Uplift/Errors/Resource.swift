extension UpgradeError {
  /// A file or directory that an upgrade needs.
  @nonexhaustive
  public enum Resource: Hashable, Sendable {
    /// The seed's file.
    case seed
    /// The directory of scripts.
    case migrations
    /// The database's file.
    case database
    /// The directory of backups; it cannot be made, because the directory above it is missing.
    case backups
    /// A file with code that SQLite is to load.
    case `extension`
  }
}
