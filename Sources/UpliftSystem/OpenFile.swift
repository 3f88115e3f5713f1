#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// An open file or directory; it is closed when the value goes out of scope.
package struct OpenFile: ~Copyable {
  let descriptor: Int32

  /// The corresponding C function is `open`.
  private init(_ path: Path, _ flags: Int32) throws(SystemError) {
    descriptor = try repeatingIfInterrupted {
      path.withCString { open($0, flags | O_CLOEXEC, 0o644) }
    }
  }

  /// The corresponding C function is `close`.
  deinit {
    close(descriptor)
  }

  /// Opens a file for reading, and does not wait if it is a FIFO.
  package static func reading(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK)
  }

  /// Opens a file for reading, and fails if the path is a symbolic link.
  package static func readingItself(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
  }

  /// Opens a directory.
  package static func directory(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens a directory, and fails if the path is a symbolic link.
  ///
  /// Otherwise another user could replace the directory by a link.
  package static func directoryItself(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  /// Opens an existing file for writing, and does not wait if it is a FIFO.
  package static func writing(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW)
  }

  /// Makes a file for writing, under a name that must be free, with the mode that SQLite uses.
  package static func creating(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  #if !canImport(Darwin)
    /// Names a file by a descriptor that can neither read nor write (`O_PATH`).
    static func namingOnly(_ path: Path) throws(SystemError) -> OpenFile {
      try OpenFile(path, uplift_open_path | O_NOFOLLOW)
    }
  #endif

  /// Keeps the system from giving the number of a file to a new one, as long as the value exists.
  ///
  /// Nil if that is not possible, and on Darwin, whose file systems use no number again. To close
  /// the value does not drop SQLite's locks, because its descriptor cannot read.
  package static func keepingNumber(of path: Path) -> OpenFile? {
    #if canImport(Darwin)
      nil
    #else
      try? namingOnly(path)
    #endif
  }

  /// What the system knows about the file.
  ///
  /// The corresponding C function is `fstat`.
  package borrowing func facts() throws(SystemError) -> FileFacts {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw .latest }
    return FileFacts(found)
  }

  /// Reads until the buffer is full or the file ends.
  package borrowing func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    try movingAll(buffer.count) { moved throws(SystemError) in
      try readSome(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[moved...]))
    }
  }

  /// The bytes at an offset; fewer if the file ends before.
  ///
  /// The corresponding C function is `pread`.
  package borrowing func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let read = try movingAll(count) { moved throws(SystemError) in
      try repeatingIfInterrupted {
        pread(
          descriptor, buffer.baseAddress.map { $0 + moved }, count - moved, off_t(offset + moved))
      }
    }
    return [UInt8](buffer[..<read])
  }

  /// The first bytes of the file; fewer if the file is shorter.
  ///
  /// The next read begins at the start again. The corresponding C functions are `read` and `lseek`.
  package borrowing func readStart(_ count: Int) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let bytes = [UInt8](buffer[..<(try read(into: buffer))])
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .latest }
    return bytes
  }

  /// Writes all bytes of the buffer.
  package borrowing func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
    let written = try movingAll(buffer.count) { moved throws(SystemError) in
      try writeSome(descriptor, UnsafeRawBufferPointer(rebasing: buffer[moved...]))
    }
    guard written == buffer.count else { throw SystemError(code: EIO) }
  }

  /// Writes all bytes of the buffer at an offset.
  ///
  /// The corresponding C function is `pwrite`.
  package borrowing func write(
    _ buffer: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) {
    let written = try movingAll(buffer.count) { moved throws(SystemError) in
      try repeatingIfInterrupted {
        pwrite(
          descriptor, buffer.baseAddress.map { $0 + moved }, buffer.count - moved,
          off_t(offset + moved))
      }
    }
    guard written == buffer.count else { throw SystemError(code: EIO) }
  }

  /// Waits until the file is on its disk.
  ///
  /// A sync that failed is not tried again: the kernel forgets the data that it could not write,
  /// and the second sync would succeed without them. The corresponding C function is `fsync`.
  package borrowing func sync() throws(SystemError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw .latest }
    #else
      guard fsync(descriptor) == 0 else { throw .latest }
    #endif
  }

  /// Gives the file to a user and a group.
  ///
  /// On a file system without owners nothing happens. The corresponding C function is `fchown`.
  package borrowing func setOwner(_ owner: FileFacts.Owner) throws(SystemError) {
    guard fchown(descriptor, owner.user, owner.group) != 0 else { return }
    guard SystemError.latest.isUnsupported else { throw .latest }
  }

  /// Sets the permissions, whatever the process's `umask` is.
  ///
  /// On a file system without permissions nothing happens. The corresponding C function is
  /// `fchmod`.
  package borrowing func setMode(_ mode: UInt32) throws(SystemError) {
    guard fchmod(descriptor, mode_t(mode)) != 0 else { return }
    guard SystemError.latest.isUnsupported else { throw .latest }
  }

  /// Locks the file until it is closed; false if another open file holds the lock, in this process
  /// or another.
  ///
  /// The corresponding C function is `flock`.
  package borrowing func lock() throws(SystemError) -> Bool {
    do {
      _ = try repeatingIfInterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.wouldBlock {
      return false
    }
  }
}
