internal import CUpliftSQLite

extension Connection {
  /// Tells the guard that scripts have changed this connection, if it has other statistics than
  /// those in the database.
  ///
  /// `ANALYZE` makes the statistics, and they decide in which order SQLite reads rows.
  package borrowing func noteOtherStatistics() {
    guard scriptGuard.hasOtherStatistics else { return }
    let tables = ["sqlite_stat1", "sqlite_stat4"]
    if tables.contains(where: { hasTable($0) }) { scriptGuard.noteLeftState() }
  }

  private borrowing func hasTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }
}
