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
  private let descriptor: Int32

  private init(_ path: String, _ flags: Int32) throws(SystemError) {
    var opened: Int32
    repeat {
      opened = open(path, flags | O_CLOEXEC, 0o644)
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .latest }
    descriptor = opened
  }

  package static func reading(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK)
  }

  package static func directory(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// A new file under a name that must be free, with the mode that SQLite would give it.
  package static func creating(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
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

  /// The first bytes, fewer where the file is shorter; the next read begins at the start again.
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

  package borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    // An array gives its bytes to a closure that throws anything.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try write(buffer) }
    }
    try result.get()
  }

  /// Copies all of another file into this one, by the cheapest way that the file systems have:
  /// shared blocks, inside the kernel, by hand.
  package borrowing func copyAll(of source: borrowing OpenFile) throws(SystemError) {
    #if !canImport(Darwin)
      if uplift_clone_file(descriptor, source.descriptor) == 0 { return }
      guard SystemError.latest.isUnsupported else { throw .latest }
      var copied = 0
      while true {
        let count = copy_file_range(source.descriptor, nil, descriptor, nil, 1 << 30, 0)
        if count < 0, errno == EINTR { continue }
        if count < 0, copied == 0, SystemError.latest.isUnsupported { break }
        guard count >= 0 else { throw .latest }
        // Some file systems answer 0 for what they cannot do; the reading below tells the two apart.
        if count == 0 { break }
        copied += count
      }
    #endif
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      if count == 0 { return }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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
