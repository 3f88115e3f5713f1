internal import CUpliftSQLite
internal import Synchronization

/// A file system for SQLite that tells a `DiskUse` what is written, and leaves the work to the
/// usual one.
///
/// SQLite calls a file system a VFS (sqlite.org/vfs.html). It reaches a VFS through a table of C
/// functions. Each open file has a second table. Each file structure of this VFS is followed in
/// memory by that of the usual VFS.
///
/// It is safe to share: after `register(countingInto:)` only SQLite's own functions are called
/// through its pointers.
final class CountingFileSystem: @unchecked Sendable {
  private static let count = Atomic(0)

  /// The name that a connection is opened with.
  let name: UnsafePointer<CChar>
  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  fileprivate let usual: UnsafeMutablePointer<sqlite3_vfs>

  init() throws(SQLiteError) {
    guard let usual = sqlite3_vfs_find(nil) else { throw SQLiteError(SQLITE_ERROR, of: nil) }
    self.usual = usual
    let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
    let text = Array("uplift-count-\(number)".utf8CString)
    let name = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
    name.initialize(from: text, count: text.count)
    self.name = UnsafePointer(name)
    vfs = .allocate(capacity: 1)
    vfs.initialize(to: usual.pointee)
    vfs.pointee.iVersion = 2
    vfs.pointee.szOsFile = Int32(CountedFile.size) + usual.pointee.szOsFile
    vfs.pointee.zName = UnsafePointer(name)
    vfs.pointee.pNext = nil
    vfs.pointee.setFunctions()
  }

  /// Registers the file system; `use` gets the counts.
  func register(countingInto use: DiskUse) {
    vfs.pointee.pAppData = Unmanaged.passUnretained(use).toOpaque()
    sqlite3_vfs_register(vfs, 0)
  }

  func unregister() {
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    name.deallocate()
  }

  /// Opens a file of the usual file system, and counts it unless it is only read.
  fileprivate func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?, for use: DiskUse
  ) -> Int32 {
    let usualFile = CountedFile.usual(file)
    let code = usual.pointee.xOpen(usual, name, usualFile, flags, outFlags)
    // SQLite calls `xClose` of each file with methods, even if the file could not be opened.
    guard usualFile.pointee.pMethods != nil else {
      file.pointee.pMethods = nil
      return code
    }
    CountedFile.setUp(file, kind(of: name, flags), for: use)
    return code
  }

  fileprivate func delete(
    _ name: UnsafePointer<CChar>?, _ syncsDirectory: Int32, for use: DiskUse
  ) -> Int32 {
    let code = usual.pointee.xDelete(usual, name, syncsDirectory)
    if code == SQLITE_OK, let name {
      let path = Self.bytes(of: name)
      for file in [.lasting(path: path), .log(path: path)] as [DiskUse.File] { use.removed(file) }
    }
    return code
  }

  /// The kind of file for the counts; nil for a file that is only read.
  private func kind(of name: UnsafePointer<CChar>?, _ flags: Int32) -> DiskUse.File? {
    guard flags & SQLITE_OPEN_READWRITE != 0 else { return nil }
    let lasting = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL
    guard let name, flags & lasting != 0, flags & SQLITE_OPEN_DELETEONCLOSE == 0 else {
      return .temporary(number: Self.count.wrappingAdd(1, ordering: .relaxed).newValue)
    }
    let path = Self.bytes(of: name)
    return flags & SQLITE_OPEN_WAL != 0 ? .log(path: path) : .lasting(path: path)
  }

  private static func bytes(of name: UnsafePointer<CChar>) -> [UInt8] {
    var count = 0
    while name[count] != 0 { count += 1 }
    return Array(UnsafeRawBufferPointer(start: name, count: count))
  }
}

/// The functions of the file system.
extension sqlite3_vfs {
  fileprivate mutating func setFunctions() {
    xOpen = { vfs, name, file, flags, outFlags in
      guard let use = vfs?.pointee.use, let file else { return SQLITE_CANTOPEN }
      return use.fileSystem.open(name, file, flags, outFlags, for: use)
    }
    xDelete = { vfs, name, syncsDirectory in
      guard let use = vfs?.pointee.use else { return SQLITE_IOERR }
      return use.fileSystem.delete(name, syncsDirectory, for: use)
    }
    xAccess = { vfs, name, flags, result in
      vfs.usual { $0.pointee.xAccess($0, name, flags, result) } ?? SQLITE_IOERR
    }
    xFullPathname = { vfs, name, count, path in
      vfs.usual { $0.pointee.xFullPathname($0, name, count, path) } ?? SQLITE_CANTOPEN
    }
    xDlOpen = { vfs, name in vfs.usual { $0.pointee.xDlOpen?($0, name) } ?? nil }
    xDlError = { vfs, count, text in vfs.usual { $0.pointee.xDlError?($0, count, text) } }
    xDlSym = { vfs, library, name in vfs.usual { $0.pointee.xDlSym?($0, library, name) } ?? nil }
    xDlClose = { vfs, library in vfs.usual { $0.pointee.xDlClose?($0, library) } }
    xRandomness = { vfs, count, bytes in
      vfs.usual { $0.pointee.xRandomness($0, count, bytes) } ?? 0
    }
    xSleep = { vfs, microseconds in vfs.usual { $0.pointee.xSleep($0, microseconds) } ?? 0 }
    xCurrentTime = { vfs, time in
      vfs.usual { $0.pointee.xCurrentTime($0, time) } ?? SQLITE_ERROR
    }
    xGetLastError = { vfs, count, text in
      vfs.usual { $0.pointee.xGetLastError?($0, count, text) ?? 0 } ?? 0
    }
    xCurrentTimeInt64 = { vfs, time in
      vfs.usual { $0.pointee.xCurrentTimeInt64($0, time) } ?? SQLITE_ERROR
    }
  }

  /// The object that counts for the file system of this table.
  fileprivate var use: DiskUse? {
    pAppData.map { Unmanaged<DiskUse>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension UnsafeMutablePointer<sqlite3_vfs>? {
  /// Calls a function of the usual file system.
  fileprivate func usual<Result>(
    _ call: (UnsafeMutablePointer<sqlite3_vfs>) -> Result
  ) -> Result? {
    self?.pointee.use.map { call($0.fileSystem.usual) }
  }
}
