internal import UpliftSystem
package import UpliftSQLite

extension Seed {
  /// Opens the seed for reading; nothing is written to it, or beside it.
  package func open(deadline: Deadline) throws(SQLiteError) -> Connection {
    switch source {
    case .file(let path):
      try Connection(path: path.bytes, access: .immutable, deadline: deadline)
    case .bytes(let bytes): try .memory(bytes, deadline: deadline)
    }
  }

  /// True if a seed with this header is at version 0 and has no tables, or only SQLite's own.
  ///
  /// The header counts SQLite's own tables, too: `ANALYZE` makes one. They hold nothing, and a
  /// database that has only them is empty.
  package func isEmpty(_ header: DatabaseHeader) -> Bool {
    guard header.version == .zero else { return false }
    if !header.hasTables { return true }
    do {
      let connection = try open(deadline: Deadline(patience: .zero, isCancelled: { false }))
      return try StateReading(connection).state.isEmpty
    } catch {
      // Whoever uses the seed reports the error.
      return false
    }
  }
}
