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
}
