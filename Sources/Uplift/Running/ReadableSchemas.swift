internal import Synchronization
internal import UpliftSQLite
internal import UpliftSystem

/// The schemas that SQLite has read without an error, in the databases of one run.
///
/// Reading the schema takes half of the time of a boot with nothing to do. It shows whether the
/// schema is damaged. Many databases have the same schema. If a database has the same schema pages
/// as one whose schema SQLite has read without an error, its schema is not damaged either, and is
/// not read.
final class ReadableSchemas: Sendable {
  private struct State {
    var schemas: [SchemaPages] = []
    /// How many more schemas may be kept.
    ///
    /// Every database is compared with all of them, so they must be few.
    var roomForSchemas = 4
    /// How many of the next databases are not compared.
    ///
    /// The last one that was compared is in WAL mode, so the next ones probably are, too.
    var skips = 0
  }

  private let state = Mutex(State())

  /// True if a database is at the target, and has a schema that is known.
  ///
  /// Any doubt or error makes it false. The boot then looks at the database as usual.
  func isCurrent(_ file: DatabaseFile, at target: Version, deadline: Deadline) -> Bool {
    guard let facts = file.factsAtFirst, facts.size > 0, facts.links == 1 else { return false }
    let schemas = state.withLock { state in
      if state.skips > 0 {
        state.skips -= 1
        return [] as [SchemaPages]
      }
      return state.schemas
    }
    guard !schemas.isEmpty else { return false }
    do throws(SQLiteError) {
      let connection = try Connection(
        path: file.path.bytes, access: .readWrite, deadline: deadline)
      return try connection.withoutLog { () throws(SQLiteError) in
        let statement = try connection.prepare("PRAGMA user_version")
        // SQLite holds the read lock until the statement is reset.
        defer { statement.reset() }
        guard try statement.step(), statement.integer(0) == Int64(target.number) else {
          return false
        }
        return schemas.contains { $0.areIn(connection, fileSize: facts.size) }
      }
    } catch {
      if error.code.primary == .cannotOpen { state.withLock { $0.skips = 20 } }
      return false
    }
  }

  /// Remembers the schema of a database that is at the target.
  ///
  /// The database must not be in WAL mode: its schema might be in the log.
  func remember(schemaOf connection: borrowing Connection) {
    let hasRoom = state.withLock { state in
      state.roomForSchemas -= 1
      return state.roomForSchemas >= 0
    }
    guard hasRoom else { return }
    do {
      try connection.withoutLog { () throws(SQLiteError) in
        try connection.run("BEGIN")
        // SQLite reads the schema again if it has changed meanwhile.
        _ = try connection.integer("SELECT EXISTS (SELECT 1 FROM sqlite_master)")
        if let schema = SchemaPages(of: connection) {
          state.withLock { $0.schemas.append(schema) }
        }
        try connection.run("COMMIT")
      }
    } catch {
      // The next databases are looked at as usual.
    }
  }
}
