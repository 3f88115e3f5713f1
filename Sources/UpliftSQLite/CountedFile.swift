internal import CUpliftSQLite

/// An open file of a `CountingFileSystem`.
///
/// SQLite gives each file a piece of memory. This memory holds a pointer to the table of functions,
/// then a pointer to the `CountedFile`, and after them the file of the usual file system.
final class CountedFile {
  /// The bytes in front of the usual file.
  static let size = 2 * MemoryLayout<UnsafeRawPointer>.stride

  private let file: DiskUse.File?
  private let use: DiskUse

  private init(_ file: DiskUse.File?, _ use: DiskUse) {
    self.file = file
    self.use = use
  }

  /// Puts a new file in front of an open file of the usual file system.
  static func setUp(
    _ pointer: UnsafeMutablePointer<sqlite3_file>, _ file: DiskUse.File?, for use: DiskUse
  ) {
    let counted = CountedFile(file, use)
    UnsafeMutableRawPointer(pointer).storeBytes(
      of: Unmanaged.passRetained(counted).toOpaque(), toByteOffset: size / 2,
      as: UnsafeMutableRawPointer.self)
    pointer.pointee.pMethods = UnsafePointer(functions)
    counted.noteSize(Self.usual(pointer))
  }

  /// The file of the usual file system.
  static func usual(
    _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func object(_ file: UnsafeMutablePointer<sqlite3_file>) -> Unmanaged<CountedFile> {
    Unmanaged.fromOpaque(
      UnsafeRawPointer(file).load(fromByteOffset: size / 2, as: UnsafeRawPointer.self))
  }

  private func noteSize(_ usual: UnsafeMutablePointer<sqlite3_file>) {
    var bytes: Int64 = 0
    guard let file, usual.pointee.pMethods.pointee.xFileSize(usual, &bytes) == SQLITE_OK else {
      return
    }
    use.set(bytes, for: file)
  }

  private func mayWrite(_ count: Int32, at offset: Int64) -> Bool {
    file.map { use.mayWrite(Int(count), endingAt: offset + Int64(count), to: $0) } ?? true
  }

  private func noteWrite(_ count: Int32, at offset: Int64) {
    if let file { use.wrote(Int(count), endingAt: offset + Int64(count), to: file) }
  }

  private func noteClose() {
    if case .temporary? = file, let file { use.removed(file) }
  }

  /// The functions, for all files.
  ///
  /// Version 2 has shared memory for the log, and no reading through mapped memory. The table is
  /// never changed.
  private nonisolated(unsafe) static let functions: UnsafeMutablePointer<sqlite3_io_methods> = {
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: sqlite3_io_methods())
    table.pointee.iVersion = 2
    table.pointee.setFunctions()
    return table
  }()

  fileprivate static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: Int64
  ) -> Int32 {
    let counted = object(file).takeUnretainedValue()
    guard counted.mayWrite(count, at: offset) else { return SQLITE_FULL }
    let usual = usual(file)
    let code = usual.pointee.pMethods.pointee.xWrite(usual, bytes, count, offset)
    if code == SQLITE_OK { counted.noteWrite(count, at: offset) }
    return code
  }

  fileprivate static func truncate(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ size: Int64
  ) -> Int32 {
    let usual = usual(file)
    let code = usual.pointee.pMethods.pointee.xTruncate(usual, size)
    if code == SQLITE_OK { object(file).takeUnretainedValue().noteSize(usual) }
    return code
  }

  fileprivate static func close(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    let usual = usual(file)
    let code = usual.pointee.pMethods.pointee.xClose(usual)
    object(file).takeRetainedValue().noteClose()
    file.pointee.pMethods = nil
    return code
  }
}

extension sqlite3_io_methods {
  fileprivate mutating func setFunctions() {
    xClose = { $0.map { CountedFile.close($0) } ?? SQLITE_OK }
    xWrite = { file, bytes, count, offset in
      file.map { CountedFile.write($0, bytes, count, offset) } ?? SQLITE_IOERR
    }
    xTruncate = { file, size in
      file.map { CountedFile.truncate($0, size) } ?? SQLITE_IOERR
    }
    xRead = { file, bytes, count, offset in
      file.usual { $0.xRead($1, bytes, count, offset) } ?? SQLITE_IOERR
    }
    xSync = { file, flags in file.usual { $0.xSync($1, flags) } ?? SQLITE_IOERR }
    xFileSize = { file, size in file.usual { $0.xFileSize($1, size) } ?? SQLITE_IOERR }
    xLock = { file, level in file.usual { $0.xLock($1, level) } ?? SQLITE_IOERR }
    xUnlock = { file, level in file.usual { $0.xUnlock($1, level) } ?? SQLITE_IOERR }
    xCheckReservedLock = { file, result in
      file.usual { $0.xCheckReservedLock($1, result) } ?? SQLITE_IOERR
    }
    xFileControl = { file, operation, argument in
      file.usual { $0.xFileControl($1, operation, argument) } ?? SQLITE_NOTFOUND
    }
    xSectorSize = { file in file.usual { $0.xSectorSize($1) } ?? 0 }
    xDeviceCharacteristics = { file in file.usual { $0.xDeviceCharacteristics($1) } ?? 0 }
    xShmMap = { file, page, size, extends, memory in
      file.usual { $0.xShmMap($1, page, size, extends, memory) } ?? SQLITE_IOERR
    }
    xShmLock = { file, offset, count, flags in
      file.usual { $0.xShmLock($1, offset, count, flags) } ?? SQLITE_IOERR
    }
    xShmBarrier = { file in file.usual { $0.xShmBarrier($1) } }
    xShmUnmap = { file, isLast in
      file.usual { $0.xShmUnmap($1, isLast) } ?? SQLITE_IOERR
    }
  }
}

extension UnsafeMutablePointer<sqlite3_file>? {
  /// Calls a function of the file of the usual file system.
  fileprivate func usual<Result>(
    _ call: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Result
  ) -> Result? {
    map { file in
      let usual = CountedFile.usual(file)
      return call(usual.pointee.pMethods.pointee, usual)
    }
  }
}
