internal import UpliftSQLite
internal import UpliftSystem

/// Copies a database, as it is at one moment, to a file that is there and empty.
///
/// In rollback mode nobody changes the file while the source holds a read lock, so its bytes are copied
/// in large pieces. So are those of a database in WAL mode if nobody can write and all pages of the log
/// are in the file. Otherwise the newest pages may be in the log, so SQLite copies page by page.
struct PageCopy: ~Copyable {
  private let path: Path
  private let file: OpenFile
  private var progress = OpenFile.Progress()
  /// The error of the disk that stopped the copying.
  private var failure: SystemError?

  /// The bytes that are written at once.
  private static let piece = 1 << 20
  /// The bytes that are read at once: SQLite's own functions are not made for more than 128 KiB.
  private static let read = 1 << 16

  private init(to path: Path) throws(UpgradeError) {
    self.path = path
    file = try UpgradeError.at(path) { () throws(SystemError) in try OpenFile.writing(path) }
  }

  /// Copies the database, and returns the number of bytes; the file is not synced.
  ///
  /// `shown` is the path of the source, for an error. If the caller holds the write lock on another
  /// connection (`isLocked`), the log is first written into the database, as far as readers allow.
  static func make(
    of source: borrowing Connection, _ shown: String, to path: Path, isLocked: Bool
  ) throws(UpgradeError) -> Int64 {
    var copy = try PageCopy(to: path)
    var size: Int64 = 0
    do throws(SQLiteError) {
      var isWhole = false
      if isLocked { isWhole = try source.writeLogIntoDatabase() }
      try source.run("BEGIN")
      // The first reading takes the lock.
      size = try source.integer("PRAGMA page_count") * source.integer("PRAGMA page_size")
      if !isWhole { isWhole = try source.text("PRAGMA journal_mode") != "wal" }
      if isWhole {
        try copy.bytes(of: source, Int(size))
      } else {
        try copy.pages(of: source)
      }
      try source.run("COMMIT")
    } catch {
      if let failure = copy.failure { throw UpgradeError(failure, at: path) }
      if source.deadline.isCancelled { throw .cancelled(reached: nil) }
      let isFull = error.code.primary == .full
      throw UpgradeError(error, at: isFull ? path.shown : shown, reached: nil)
    }
    return size
  }

  private mutating func bytes(
    of source: borrowing Connection, _ size: Int
  ) throws(SQLiteError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.piece, alignment: 4096)
    defer { buffer.deallocate() }
    var copied = 0
    while copied < size {
      let piece = min(Self.piece, size - copied)
      var filled = 0
      while filled < piece {
        let count = min(Self.read, piece - filled)
        try source.readFile(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + count]),
          at: copied + filled)
        filled += count
      }
      guard !source.deadline.isCancelled,
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
    return failure == nil && note(offset + piece.count)
  }

  private mutating func pages(of source: borrowing Connection) throws(SQLiteError) {
    let copy = try Connection(path: path.bytes, access: .readWrite, deadline: source.deadline)
    // A copy that is not whole is removed, so it needs no journal.
    for pragma in ["journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"] {
      try copy.run("PRAGMA \(pragma)")
    }
    let pageSize = Int(try source.integer("PRAGMA page_size"))
    _ = try source.copyAll(into: copy, onPages: { note($0 * pageSize) }, isUnchanged: { true })
  }

  /// Tells the disk to write the bytes that were copied so far; false if it fails.
  ///
  /// Then the sync at the end has little left to do.
  private mutating func note(_ copied: Int) -> Bool {
    do {
      try file.startWriting(upTo: copied, &progress)
    } catch {
      failure = error
    }
    return failure == nil
  }
}
