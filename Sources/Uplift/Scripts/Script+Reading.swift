package import UpliftSystem

/// Reads a script from its file.
extension Script {
  /// Reads a script whole and checks its text; a step in Swift has none.
  package init(reading migration: Migration) throws(UpgradeError) {
    switch migration.body {
    case .file(let path):
      let bytes =
        if let text = migration.text { ScriptBytes(text) } else { try Self.bytes(of: path) }
      try self.init(migration, file: path.shown, bytes: bytes)
    case .sql(let sql):
      try self.init(migration, file: migration.path, bytes: ScriptBytes(sql))
    case .code(let body):
      self.init(migration, code: body)
    }
  }

  /// The bytes of a file that may become a script; their content is not checked.
  ///
  /// If there is a zero byte, the rest of the file may be missing.
  package static func text(of path: Path) throws(UpgradeError) -> [UInt8] {
    let bytes = try bytes(of: path)
    return withExtendedLifetime(bytes) { Array(bytes.buffer) }
  }

  /// Checks a text in the same way as the text of a script; `file` names it in an error.
  package static func check(_ text: [UInt8], file: String) throws(UpgradeError) {
    let migration = Migration(
      version: .zero, name: file, body: .sql(""), location: SourceLocation(file: file, line: 1))
    _ = try Script(migration, file: file, bytes: ScriptBytes(text))
  }

  private static func bytes(of path: Path) throws(UpgradeError) -> ScriptBytes {
    func wrong(_ problem: UpgradeError.TextProblem) -> UpgradeError {
      .scriptText(file: path.shown, line: 1, column: 1, problem)
    }
    let file = try open(path, wrong)
    let facts = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard facts.kind == .file else { throw wrong(.notAFile) }
    var hasZero = false
    let made = try UpgradeError.at(path) { () throws(SystemError) in
      try ScriptBytes.make(capacity: Int(facts.size)) { room throws(SystemError) in
        try read(file, into: room, &hasZero)
      }
    }
    guard let bytes = made else { throw wrong(.tooLarge(bytes: facts.size)) }
    // The text is refused for its zero byte, so the rest of it does not matter.
    if hasZero { return bytes }
    let factsNow = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard factsNow == facts, Int64(bytes.count) == facts.size else { throw wrong(.changed) }
    return bytes
  }

  private static func open(
    _ path: Path, _ wrong: (UpgradeError.TextProblem) -> UpgradeError
  ) throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.reading(path)
    } catch {
      if error.isSocketOrDevice { throw wrong(.notAFile) }
      throw UpgradeError(error, reading: path, missing: wrong(.notThere))
    }
  }

  /// Reads a script to its end, or up to the piece with its first zero byte.
  ///
  /// So a huge sparse file uses the memory of only one piece.
  private static func read(
    _ file: borrowing OpenFile, into room: UnsafeMutableRawBufferPointer, _ hasZero: inout Bool
  ) throws(SystemError) -> Int {
    let pieceSize = 1 << 20
    var filled = 0
    while filled < room.count {
      let end = min(filled + pieceSize, room.count)
      let piece = UnsafeMutableRawBufferPointer(rebasing: room[filled..<end])
      let count = try file.read(into: piece)
      filled += count
      // The smallest byte: the compiler finds it sixteen bytes at a time.
      hasZero = piece[..<count].reduce(UInt8.max, min) == 0
      if hasZero || count < piece.count { break }
    }
    return filled
  }
}
