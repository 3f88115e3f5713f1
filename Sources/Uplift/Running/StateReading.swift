internal import UpliftSQLite

/// The numbers in a database that decide what an upgrade does, read in the open transaction.
struct StateReading {
  private let version: Int32
  private let applicationID: Int32
  private let hasTables: Bool

  /// Also asks for the tables, to find a damaged schema.
  ///
  /// SQLite reads `user_version` without checking the file. To list the tables it must parse the
  /// schema.
  init(_ connection: borrowing Connection) throws(SQLiteError) {
    version = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    let tables = "SELECT EXISTS (SELECT 1 FROM sqlite_master"
    var hasTables = try connection.integer(tables + ")") == 1
    if hasTables, version == 0 {
      // SQLite's own tables stay when the last table is dropped, and hold nothing then.
      hasTables = try connection.integer(tables + " WHERE name NOT GLOB 'sqlite_*')") == 1
    }
    self.hasTables = hasTables
    applicationID = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id"))
  }

  /// The state, unless the number is no version.
  var state: DatabaseState {
    get throws(UpgradeError) {
      guard let number = Version(version) else { throw .invalid(version: version) }
      return DatabaseState(version: number, applicationID: applicationID, hasTables: hasTables)
    }
  }
}

extension Connection {
  /// True if there is a table that is neither SQLite's own nor Litestream's: those stay when the last
  /// table is dropped.
  borrowing func hasOwnTables() throws(SQLiteError) -> Bool {
    try integer(
      """
      SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table'
        AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_litestream_*')
      """) == 1
  }
}
