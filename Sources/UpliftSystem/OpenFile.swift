#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// An open file or directory; closed when it goes out of scope.
package struct OpenFile: ~Copyable {
  let descriptor: Int32

  private init(_ path: Path, _ flags: Int32) throws(SystemError) {
    var opened: Int32
    repeat {
      opened = path.withCString { open($0, flags | O_CLOEXEC, 0o644) }
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .latest }
    descriptor = opened
  }

  package static func reading(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK)
  }

  package static func directory(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// A new file under a name that must be free, with the mode that SQLite would give it.
  package static func creating(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  /// A directory that is no link, so that nobody can have another one opened in its place.
  package static func directoryItself(_ path: Path) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  deinit {
    close(descriptor)
  }

  package borrowing func facts() throws(SystemError) -> FileFacts {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw .latest }
    return FileFacts(found)
  }

  /// Reads until the buffer is full or the file ends.
  package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, rest.baseAddress, rest.count)
      #else
        let count = Darwin.read(descriptor, rest.baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .latest }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The first bytes, fewer if the file is shorter; the next read begins at the start again.
  package borrowing func readStart(_ count: Int) throws(SystemError) -> [UInt8] {
    let bytes = try [UInt8](capacity: count) { buffer throws(SystemError) in
      try read(into: buffer)
    }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .latest }
    return bytes
  }

  package borrowing func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
    var written = 0
    while written < buffer.count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
      #if canImport(Glibc)
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
      #elseif canImport(Musl)
        let count = Musl.write(descriptor, rest.baseAddress, rest.count)
      #else
        let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
      #endif
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .latest }
      written += count
    }
  }

  /// A sync that failed is not tried again: the kernel forgets what it could not write.
  package borrowing func sync() throws(SystemError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw .latest }
    #else
      guard fsync(descriptor) == 0 else { throw .latest }
    #endif
  }

  /// Gives a file or a directory to somebody; a file system without owners is no error.
  package borrowing func setOwner(_ owner: FileFacts.Owner) throws(SystemError) {
    guard fchown(descriptor, owner.user, owner.group) != 0 else { return }
    guard SystemError.latest.isUnsupported else { throw .latest }
  }

  /// False while somebody else has it; held until the file is closed.
  package borrowing func lock() throws(SystemError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      if errno == EWOULDBLOCK { return false }
      throw .latest
    }
    return true
  }
}

extension [UInt8] {
  fileprivate init(
    capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  ) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
    defer { buffer.deallocate() }
    self = [UInt8](buffer[..<(try fill(buffer))])
  }
}
