internal import UpliftSQLite
internal import UpliftSystem

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
