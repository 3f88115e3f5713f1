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
    scriptGuard.hasSeed = true
  }

  /// Attaches a copy of the bytes of a database file.
  ///
  /// The guard refuses changes of the copy. It cannot be read-only, because `BEGIN IMMEDIATE` would
  /// fail: SQLite wants to write each attached database that is not a read-only file.
  package borrowing func attachSeed(bytes: [UInt8]) throws(SQLiteError) {
    try run("ATTACH ':memory:' AS \(Self.seedSchema)")
    try deserialize(bytes, as: Self.seedSchema)
    scriptGuard.hasSeed = true
  }
}
