/// The report of a restore.
public struct Restore: Hashable, Sendable {
  /// The version of the backup, and now of the database.
  public let version: Version
  /// The path of the backup.
  public let backup: String
  /// The path of the copy of the old content; nil if there was no database, or an empty one.
  ///
  /// Rows that were written after the backup are in this file.
  public let replaced: String?
}
