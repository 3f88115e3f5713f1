internal import UpliftSQLite
internal import UpliftSystem

/// Copies a database, as it is at one moment, to a file that is there and empty.
///
/// In rollback mode the file is copied in large pieces, because nobody can change it while the
/// source holds a lock. In WAL mode this works only if nobody can write and the file already has
/// all pages of the log. Otherwise SQLite copies page by page.
struct PageCopy: ~Copyable {
  private let path: Path
  private let file: OpenFile
  private var progress = OpenFile.Progress()
  /// The error of the disk that stopped the copying.
  private var failure: SystemError?

  /// The bytes that are written at once.
  private static let pieceSize = 1 << 20
  /// The bytes that are read at once: 64 KiB, SQLite's largest page.
  ///
  /// SQLite's function for reading takes less than 128 KiB.
  private static let readSize = 1 << 16

  private init(to path: Path) throws(UpgradeError) {
    self.path = path
    file = try UpgradeError.at(path) { () throws(SystemError) in try OpenFile.writing(path) }
  }

  /// Copies the database while this process holds the lock to write on a connection.
  ///
  /// That connection does not change the database meanwhile, and has no lock that keeps readers
  /// out. `addsRest` also copies the bytes after the last page, unless all of them are zeros.
  static func makeUnderLock(
    of connection: borrowing Connection, _ database: Path, to path: Path, addsRest: Bool = false,
    deadline: Deadline
  ) throws(UpgradeError) {
    let source: Connection
    do {
      // A link in the path of the database may lead to another one by now.
      source = try Connection(path: connection.path, access: .readWrite, deadline: deadline)
    } catch {
      throw UpgradeError(error, at: database.shown, reached: nil)
    }
    _ = try make(of: source, database.shown, to: path, isLocked: true, addsRest: addsRest)
    // Another file may have had the name for a moment.
    if source.hasMoved { throw UpgradeError(.moved, at: database.shown, reached: nil) }
  }

  /// Copies the database, and returns the number of bytes; the file is not synced.
  ///
  /// `shown` is the path of the source, for an error. If the caller holds the lock to write on
  /// another connection (`isLocked`), the log is first written into the database, except for pages
  /// that a reader still needs.
  static func make(
    of source: borrowing Connection, _ shown: String, to path: Path, isLocked: Bool,
    addsRest: Bool = false
  ) throws(UpgradeError) -> Int64 {
    var size: Int64 = 0
    try make(of: source, shown, to: path) { copy throws(SQLiteError) in
      var isWhole = false
      if isLocked { isWhole = try source.writeLogIntoDatabase() }
      try source.run("BEGIN")
      // The first reading takes the lock.
      size = try source.integer("PRAGMA page_count") * source.integer("PRAGMA page_size")
      if !isWhole { isWhole = try source.text("PRAGMA journal_mode") != "wal" }
      if isWhole {
        if addsRest { size = try source.sizeWithRest(after: size) }
        try copy.copyBytes(of: source, Int(size))
      } else {
        try copy.copyPages(of: source)
      }
      try source.run("COMMIT")
    }
    return size
  }

  /// Copies the file of a database that has no log and that `source` has locked exclusively.
  ///
  /// The bytes after the last page are copied, too, unless all of them are zeros.
  static func makeOfFile(
    of source: borrowing Connection, _ shown: String, to path: Path
  ) throws(UpgradeError) {
    try make(of: source, shown, to: path) { copy throws(SQLiteError) in
      let size = try source.sizeWithRest(after: source.sizeByHeader() ?? 0)
      try copy.copyBytes(of: source, Int(size))
    }
  }

  /// True if a file has the same bytes as the file of the database that `source` has open.
  ///
  /// The caller makes sure that the log holds nothing that the file lacks. False also if the files
  /// cannot be compared.
  static func isCopy(_ path: Path, of source: borrowing Connection) -> Bool {
    do {
      var rest = Int(try source.integer("PRAGMA page_count") * source.integer("PRAGMA page_size"))
      let copy = try OpenFile.reading(path)
      guard try copy.facts().size == Int64(rest) else { return false }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readSize, alignment: 4096)
      defer { buffer.deallocate() }
      var offset = 0
      while rest > 0 {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(readSize, rest)])
        guard try copy.read(into: piece) == piece.count,
          let bytes = source.fileBytes(at: offset, count: piece.count), bytes.elementsEqual(piece)
        else { return false }
        offset += piece.count
        rest -= piece.count
      }
      return true
    } catch {
      return false
    }
  }

  private static func make(
    of source: borrowing Connection, _ shown: String, to path: Path,
    _ work: (inout PageCopy) throws(SQLiteError) -> Void
  ) throws(UpgradeError) {
    var copy = try PageCopy(to: path)
    do {
      try work(&copy)
    } catch {
      if let failure = copy.failure { throw UpgradeError(failure, at: path) }
      if source.deadline.mustStopNow { throw .cancelled(reached: nil) }
      let isFull = error.code.primary == .full
      throw UpgradeError(error, at: isFull ? path.shown : shown, reached: nil)
    }
  }

  private mutating func copyBytes(
    of source: borrowing Connection, _ size: Int
  ) throws(SQLiteError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
    defer { buffer.deallocate() }
    var copied = 0
    while copied < size {
      let piece = min(Self.pieceSize, size - copied)
      var filled = 0
      while filled < piece {
        let count = min(Self.readSize, piece - filled)
        try source.readFile(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count]),
          at: copied + filled)
        filled += count
      }
      guard !source.deadline.mustStopNow,
        write(UnsafeRawBufferPointer(rebasing: buffer[..<piece]), at: copied)
      else { throw SQLiteError(code: .interrupted, message: "stopped") }
      copied += piece
    }
  }

  /// Writes a piece; false if the disk fails.
  private mutating func write(_ piece: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    do {
      try file.write(piece, at: offset)
    } catch {
      failure = error
    }
    return failure == nil && startWriting(upTo: offset + piece.count)
  }

  private mutating func copyPages(of source: borrowing Connection) throws(SQLiteError) {
    let copy = try Connection(path: path.bytes, access: .readWrite, deadline: source.deadline)
    guard isOpen(in: copy) else { throw SQLiteError(code: .cannotOpen, message: "another file") }
    // A copy that is not whole is removed, so it needs no journal.
    for pragma in ["journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"] {
      try copy.run("PRAGMA \(pragma)")
    }
    let pageSize = Int(try source.integer("PRAGMA page_size"))
    // Nobody else writes the new file, so a change of it is ignored: SQLite itself changes it when
    // it takes the lock.
    _ = try source.copyAll(
      into: copy, onLocked: { _ in true }, onPages: { startWriting(upTo: $0 * pageSize) },
      isUnchanged: { true })
  }

  /// True if SQLite has opened the file that this process has made, and not one that another user
  /// has put there: SQLite follows a link.
  ///
  /// Only the right file holds the bytes that are written here. It is empty again afterwards.
  private mutating func isOpen(in copy: borrowing Connection) -> Bool {
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
    guard bytes.withUnsafeBytes({ write($0, at: 0) }) else { return false }
    // The error is that of `OpenFile.writing`, which follows no link.
    if copy.fileBytes(at: 0, count: bytes.count) != bytes { failure = .link }
    do {
      try file.empty()
    } catch {
      failure = error
    }
    return failure == nil
  }

  /// Tells the disk to write the bytes that were copied so far; false if it fails.
  ///
  /// Then the sync at the end has little left to do.
  private mutating func startWriting(upTo copied: Int) -> Bool {
    do {
      try file.keepWriting(upTo: copied, &progress)
    } catch {
      failure = error
    }
    return failure == nil
  }
}
