internal import CUpliftSQLite

/// The seed that a script reads, attached to the connection.
extension Connection {
  /// The name of the seed in SQL: `SELECT … FROM seed.words`.
  static let seedSchema = "seed"

  /// Attaches a file that no process changes: without locks, and without files beside it.
  ///
  /// The connection must have been opened with `Access.readWriteBesideSeed`.
  package borrowing func attachSeed(_ path: [UInt8]) throws(SQLiteError) {
    let statement = try prepare("ATTACH ? AS \(Self.seedSchema)")
    try statement.bind(text: Self.immutableURI(of: path), at: 1)
    try statement.run()
    try connectVirtualTables()
    scriptGuard.hasSeed = true
  }

  /// Attaches a copy of the bytes of a database file.
  ///
  /// The guard refuses changes of the copy. It cannot be read-only, because `BEGIN IMMEDIATE` would
  /// fail: SQLite wants to write each attached database that is not a read-only file.
  package borrowing func attachSeed(bytes: [UInt8]) throws(SQLiteError) {
    try run("ATTACH ':memory:' AS \(Self.seedSchema)")
    try deserialize(bytes, as: Self.seedSchema)
    try connectVirtualTables()
    scriptGuard.hasSeed = true
  }

  /// Mentions each virtual table of the seed once.
  ///
  /// An R-tree prepares statements that change its own tables, as soon as a statement mentions it.
  /// The guard would take them for changes that the script makes. A table that cannot be connected
  /// fails when a script mentions it.
  private borrowing func connectVirtualTables() throws(SQLiteError) {
    let rows = try prepare(
      "SELECT name FROM \(Self.seedSchema).sqlite_master WHERE type = 'table' AND rootpage = 0")
    while try rows.step() {
      guard let name = rows.name(0) else { continue }
      do {
        _ = try prepare("SELECT 1 FROM \(Self.seedSchema).\(name)" as SQL)
      } catch {
        continue
      }
    }
  }
}
