package import UpliftSQLite
internal import UpliftSystem

extension Seed {
  /// Opens the seed for reading; nothing is written to it, or beside it.
  package func open(deadline: Deadline) throws(SQLiteError) -> Connection {
    switch source {
    case .file(let path):
      try Connection(path: path.bytes, access: .immutable, deadline: deadline)
    case .bytes(let bytes): try .memory(bytes, deadline: deadline)
    }
  }

  /// Opens the seed for an upgrade, and reads its schema.
  ///
  /// A newer SQLite may have made a schema that this one cannot read. A database with that schema
  /// could not be used, and it would stay when the seed is corrected. So it is not made.
  func openReadable(deadline: Deadline) throws(UpgradeError) -> Connection {
    do throws(SQLiteError) {
      let connection = try open(deadline: deadline)
      try connection.run("SELECT 1 FROM sqlite_master")
      return connection
    } catch {
      let translated = UpgradeError(error, at: name, reached: nil)
      switch translated {
      case .disk, .cancelled, .busy, .unreadable, .tooManyFiles: throw translated
      default: throw .seed(file: name, .malformed(words: error.message))
      }
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

extension UnchangedSeed {
  /// Attaches the seed as the schema `seed`, so that a script can read it and nothing can write it.
  func attach(to connection: borrowing Connection) throws(UpgradeError) {
    do throws(SQLiteError) {
      switch seed.source {
      case .file(let path): try connection.attachSeed(path.bytes)
      case .bytes(let bytes): try connection.attachSeed(bytes: bytes)
      }
    } catch {
      try check()
      let translated = UpgradeError(error, at: seed.name, reached: nil)
      if case .disk = translated { throw translated }
      throw .seed(file: seed.name, .malformed(words: error.message))
    }
  }
}
