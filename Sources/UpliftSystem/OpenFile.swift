internal import CUpliftSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An open file or directory; it is closed when the value goes out of scope.
package struct OpenFile: ~Copyable {
  let descriptor: Int32

  private init(_ path: Path, _ flags: Int32) throws(SystemError) {
    descriptor = try repeatingIfInterrupted { open(path.cString, flags | O_CLOEXEC, 0o644) }
  }

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

  package static func directory(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// Opens a directory, and fails if another user has put a symbolic link in its place.
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

  /// The first bytes of the file; fewer if the file is shorter.
  ///
  /// The next read begins at the start again.
  package borrowing func readStart(_ count: Int) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let bytes = [UInt8](buffer[..<(try read(into: buffer))])
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .latest }
    return bytes
  }

  /// True if both files have the same bytes.
  package borrowing func hasSameBytes(as other: borrowing OpenFile) throws(SystemError) -> Bool {
    guard try facts().size == other.facts().size else { return false }
    let size = 1 << 18
    let mine = UnsafeMutableRawPointer.allocate(byteCount: 2 * size, alignment: 16)
    defer { mine.deallocate() }
    let others = mine + size
    while true {
      let count = try read(into: UnsafeMutableRawBufferPointer(start: mine, count: size))
      guard
        try other.read(into: UnsafeMutableRawBufferPointer(start: others, count: size)) == count,
        memcmp(mine, others, count) == 0
      else { return false }
      if count < size { return true }
    }
  }

  /// Writes all bytes of the buffer, at an offset if one is given.
  package borrowing func write(
    _ buffer: UnsafeRawBufferPointer, at offset: Int? = nil
  ) throws(SystemError) {
    let written = try movingAll(buffer.count) { moved throws(SystemError) in
      let rest = UnsafeRawBufferPointer(rebasing: buffer[moved...])
      guard let offset else { return try writeSome(descriptor, rest) }
      return try repeatingIfInterrupted {
        pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + moved))
      }
    }
    guard written == buffer.count else { throw SystemError(code: EIO) }
  }

  /// Waits until the file is on its disk.
  ///
  /// A sync that failed is not tried again: the kernel forgets the data that it could not write,
  /// and the second sync would succeed without them.
  package borrowing func sync() throws(SystemError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw .latest }
    #else
      guard fsync(descriptor) == 0 else { throw .latest }
    #endif
  }

  /// Gives the file to a user and a group; on a file system without owners nothing happens.
  package borrowing func setOwner(_ owner: FileFacts.Owner) throws(SystemError) {
    guard fchown(descriptor, owner.user, owner.group) == 0 || SystemError.latest.isUnsupported
    else { throw .latest }
  }

  /// Sets the permissions, whatever the process's `umask` is; on a file system without permissions
  /// nothing happens.
  package borrowing func setMode(_ mode: UInt32) throws(SystemError) {
    guard fchmod(descriptor, mode_t(mode)) == 0 || SystemError.latest.isUnsupported
    else { throw .latest }
  }

  /// Locks the file until it is closed; false if another open file holds the lock, in this process
  /// or another.
  package borrowing func lock() throws(SystemError) -> Bool {
    do {
      _ = try repeatingIfInterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch  where error.wouldBlock {
      return false
    }
  }
}

/// Copying a whole file, in pieces, so that the copy can be stopped in between.
extension OpenFile {
  /// The most bytes between two calls of `isStopped`: a slow disk writes them in half a second.
  private static let piece = 16 << 20

  /// The bytes of a file before `done` are on its disk, and the kernel was told to write those
  /// before `begun`.
  private typealias Progress = (done: Int, begun: Int)

  /// Copies all of another file into this one; false if the copy was stopped.
  ///
  /// `isStopped` is called before each piece. The copy uses the cheapest way that the file systems
  /// support: shared blocks, a copy inside the kernel, or `read` and `write`.
  package borrowing func copyAll(
    of source: borrowing OpenFile, isStopped: () -> Bool
  ) throws(SystemError) -> Bool {
    var copied = 0
    var progress: Progress = (0, 0)
    #if !canImport(Darwin)
      if uplift_clone_file(descriptor, source.descriptor) == 0 { return true }
      guard SystemError.latest.isUnsupported else { throw .latest }
      while true {
        if isStopped() { return false }
        let count = copy_file_range(source.descriptor, nil, descriptor, nil, Self.piece, 0)
        if count < 0 {
          let error = SystemError.latest
          // The signal may ask to stop, so this loop asks `isStopped` before it repeats the call.
          if error.isInterrupted { continue }
          guard copied == 0, error.isUnsupported else { throw error }
          break
        }
        // Some file systems return 0 if they do not support the call. If so, the loop below copies.
        if count == 0 { break }
        copied += count
        try keepWriting(upTo: copied, &progress)
      }
    #endif
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { buffer.deallocate() }
    while true {
      if isStopped() { return false }
      let count = try source.read(into: buffer)
      if count == 0 { return true }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      copied += count
      try keepWriting(upTo: copied, &progress)
    }
  }

  /// Writes bytes to an empty file; false if the work was stopped.
  ///
  /// `isStopped` is called before each piece.
  package borrowing func writeAll(
    _ bytes: [UInt8], isStopped: () -> Bool
  ) throws(SystemError) -> Bool {
    var written = 0
    var progress: Progress = (0, 0)
    while written < bytes.count {
      if isStopped() { return false }
      let end = min(written + Self.piece, bytes.count)
      // `withUnsafeBytes` of an array does not pass on the type of an error.
      let result = bytes[written..<end].withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try write(buffer) }
      }
      try result.get()
      written = end
      try keepWriting(upTo: written, &progress)
    }
    return true
  }

  /// Tells the kernel to begin writing the latest piece to the disk, and waits until the piece
  /// before it is on the disk.
  ///
  /// This keeps the last sync short, which cannot be cancelled. An error of the disk is thrown
  /// here, because the kernel reports it only once, and the sync would succeed.
  private borrowing func keepWriting(
    upTo end: Int, _ progress: inout Progress
  ) throws(SystemError) {
    let (done, begun) = progress
    guard end - begun >= Self.piece else { return }
    #if !canImport(Darwin)
      try Self.checkDisk(uplift_start_writing(descriptor, off_t(begun), off_t(end - begun)))
      if begun > done {
        try Self.checkDisk(uplift_finish_writing(descriptor, off_t(done), off_t(begun - done)))
      }
    #endif
    progress = (begun, end)
  }

  /// Ignores every error but those of the disk: `sync_file_range` is not essential.
  private static func checkDisk(_ result: Int32) throws(SystemError) {
    guard result == 0 || !SystemError.latest.isDiskFailure else { throw .latest }
  }
}
