internal import UpliftSystem

/// Reads what ships with the program: the directory of scripts, the scripts, the seed's header.
enum Resources {
  static func catalog(of migrations: Migrations) throws(UpgradeError) -> Catalog {
    var sources: [Catalog.Source] = []
    for source in migrations.sources {
      switch source {
      case .directory(let directory): sources.append(.scripts(try ScriptListing(of: directory)))
      case .steps(let steps): sources.append(.steps(steps))
      }
    }
    return try Catalog(sources)
  }

  /// The seed's own word about itself; nil where no seed is given.
  static func header(of seed: Seed?) throws(UpgradeError) -> DatabaseHeader? {
    switch seed?.source {
    case nil: return nil
    case .file(let path):
      let path = Path(path)
      return try header(of: try open(path), path)
    case .bytes(let bytes):
      return try header(Array(bytes.prefix(DatabaseHeader.size)), Int64(bytes.count), in: "bytes")
    }
  }

  /// Checks that the seed is a whole database with nothing of it elsewhere.
  static func header(
    of file: borrowing OpenFile, _ path: Path
  ) throws(UpgradeError) -> DatabaseHeader {
    let facts = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard facts.kind == .file else { throw .seed(file: path.shown, .notAFile) }
    // A link to the seed (a ConfigMap's, a store's): SQLite keeps its log beside the file itself.
    let whole = try UpgradeError.at(path) { () throws(SystemError) in
      try System.isLink(path) ? System.resolve(path) : path
    }
    for beside in [whole + "-wal", whole + "-journal"] {
      let found = try UpgradeError.at(beside) { () throws(SystemError) in
        try System.facts(of: beside, followingLinks: true)
      }
      guard let found, found.size > 0, try !isSpent(beside) else { continue }
      throw .seed(file: path.shown, .journalBeside(beside.shown))
    }
    let start = try UpgradeError.at(path) { () throws(SystemError) in
      try file.readStart(DatabaseHeader.size)
    }
    return try header(start, facts.size, in: path.shown)
  }

  /// True for a journal that holds nothing.
  ///
  /// Its header is zeros: `journal_mode=PERSIST` leaves it so after a commit. A log never begins so.
  private static func isSpent(_ journal: Path) throws(UpgradeError) -> Bool {
    let header = try UpgradeError.at(journal) { () throws(SystemError) in
      try OpenFile.reading(journal).readStart(28)
    }
    return header.count == 28 && header.allSatisfy { $0 == 0 }
  }

  private static func header(
    _ start: [UInt8], _ size: Int64, in path: String
  ) throws(UpgradeError) -> DatabaseHeader {
    do {
      return try DatabaseHeader(start, fileSize: size)
    } catch {
      throw .seed(file: path, error.file)
    }
  }

  static func open(_ seed: Path) throws(UpgradeError) -> OpenFile {
    try open(
      seed, missing: .missing(.seed, path: seed.shown),
      notAFile: .seed(file: seed.shown, .notAFile))
  }

  private static func open(
    _ path: Path, missing: @autoclosure () -> UpgradeError,
    notAFile: @autoclosure () -> UpgradeError
  ) throws(UpgradeError) -> OpenFile {
    do {
      return try OpenFile.reading(path)
    } catch {
      if error.isNoFile { throw notAFile() }
      throw UpgradeError(error, reading: path, missing: missing())
    }
  }

  /// Reads a script whole and checks its text.
  static func script(_ migration: Migration) throws(UpgradeError) -> Script {
    switch migration.body {
    case .file(let path):
      return try Script(migration, file: path.shown, bytes: try bytes(of: path))
    case .sql(let sql):
      return try Script(migration, file: migration.path, bytes: ScriptBytes(sql))
    case .code(let body):
      return Script(migration, code: body)
    }
  }

  private static func bytes(of path: Path) throws(UpgradeError) -> ScriptBytes {
    func wrong(_ problem: UpgradeError.TextProblem) -> UpgradeError {
      .scriptText(file: path.shown, line: 1, column: 1, problem)
    }
    let file = try open(path, missing: wrong(.notThere), notAFile: wrong(.notAFile))
    let facts = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard facts.kind == .file else { throw wrong(.notAFile) }
    var hasZero = false
    let made = try UpgradeError.at(path) { () throws(SystemError) in
      try ScriptBytes.make(capacity: Int(facts.size)) { room throws(SystemError) in
        try read(file, into: room, &hasZero)
      }
    }
    guard let bytes = made else { throw wrong(.tooLarge(bytes: facts.size)) }
    // It is refused for its zero byte, and not read to its end.
    if hasZero { return bytes }
    let factsNow = try UpgradeError.at(path) { () throws(SystemError) in try file.facts() }
    guard factsNow == facts, Int64(bytes.count) == facts.size else { throw wrong(.changed) }
    return bytes
  }

  /// Reads a script to its end or to its first zero byte, whose piece is the last.
  ///
  /// A sparse file, of whatever size, takes the memory of one piece.
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
      hasZero = UnsafeRawBufferPointer(rebasing: piece[..<count]).hasZero
      if hasZero || count < piece.count { break }
    }
    return filled
  }
}
