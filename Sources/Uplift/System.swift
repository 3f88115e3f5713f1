// The one file that calls the operating system: each call once, its result looked at on the
// next line, its error thrown as the number it is.

#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// What the operating system answered to a call that failed.
struct SystemError: Error, Hashable {
  let code: Int32

  static var latest: SystemError { SystemError(code: errno) }

  var words: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  var isNotThere: Bool { code == ENOENT }
  var isTaken: Bool { code == EEXIST }
  var isNotADirectory: Bool { code == ENOTDIR }
  var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  var isDiskFailure: Bool { code == EIO || code == ENOSPC || code == EDQUOT }
  /// The file system does not know the call, or not between these two files.
  var isUnsupported: Bool {
    [ENOSYS, EINVAL, EOPNOTSUPP, ENOTTY, EXDEV, EPERM, ENOLCK, EBADF].contains(code)
  }
}

extension FileFacts {
  fileprivate init(_ found: stat) {
    kind =
      switch found.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .link
      default: .other
      }
    size = Int64(found.st_size)
    links = Int(found.st_nlink)
    identity = Identity(
      device: UInt64(truncatingIfNeeded: found.st_dev),
      node: UInt64(truncatingIfNeeded: found.st_ino))
    #if canImport(Darwin)
      let time = found.st_mtimespec
    #else
      let time = found.st_mtim
    #endif
    modified = Moment(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }
}

/// Calls that take a path.
enum System {
  /// Nil where nothing has that name.
  static func facts(of path: String, followingLinks: Bool) throws(SystemError) -> FileFacts? {
    var found = stat()
    guard (followingLinks ? stat(path, &found) : lstat(path, &found)) == 0 else {
      let error = SystemError.latest
      guard error.isNotThere else { throw error }
      return nil
    }
    return FileFacts(found)
  }

  static func isLink(_ path: String) throws(SystemError) -> Bool {
    try facts(of: path, followingLinks: false)?.kind == .link
  }

  /// The absolute path with every link followed.
  static func resolve(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .latest }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func target(ofLink path: String) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink(path, start, buffer.count)
      guard count >= 0 else { return "" }
      return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Makes one directory; false where it is there already.
  static func makeDirectory(_ path: String) throws(SystemError) -> Bool {
    if mkdir(path, 0o777) == 0 { return true }
    let error = SystemError.latest
    guard error.isTaken else { throw error }
    return false
  }

  /// The names in a directory, in no order.
  static func names(in directory: String) throws(SystemError) -> [String] {
    var names: [String] = []
    try forEachName(in: directory) { names.append(String(decoding: $0, as: UTF8.self)) }
    return names
  }

  /// Hands over the names in a directory, in no order, each for the length of the call.
  static func forEachName(
    in directory: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(SystemError) {
    guard let stream = opendir(directory) else { throw .latest }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      withUnsafePointer(to: &entry.pointee.d_name) { characters in
        let name = UnsafeRawPointer(characters).assumingMemoryBound(to: CChar.self)
        guard strcmp(name, ".") != 0, strcmp(name, "..") != 0 else { return }
        body(UnsafeBufferPointer(start: UnsafePointer(OpaquePointer(name)), count: strlen(name)))
      }
      errno = 0
    }
    guard errno == 0 else { throw .latest }
  }

  static func removeFile(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 else { throw .latest }
  }

  /// Removes a file where a failure matters less than what is going on.
  static func discard(_ path: String) {
    unlink(path)
  }

  /// Gives a file its final name, which must be free: never in the place of another.
  static func publish(_ path: String, as final: String) throws(SystemError) {
    #if canImport(Darwin)
      if renamex_np(path, final, UInt32(RENAME_EXCL)) == 0 { return }
    #else
      if renameat2(AT_FDCWD, path, AT_FDCWD, final, uplift_rename_noreplace) == 0 { return }
    #endif
    let error = SystemError.latest
    guard error.isUnsupported else { throw error }
    guard link(path, final) == 0 else { throw .latest }
    do {
      try removeFile(path)
    } catch  where error.isNotThere {
      // Another process has seen a second name of the new file, and cleaned up.
    }
  }

  /// The time, as a name may hold it: `20261120T134500Z`.
  static func stamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(parts.tm_year + 1900)" + padded(parts.tm_mon + 1) + padded(parts.tm_mday)
    return date + "T" + padded(parts.tm_hour) + padded(parts.tm_min) + padded(parts.tm_sec) + "Z"
  }

  /// Keeps memory that is given back for who wants some next: SQLite forgets the schema when a
  /// script changes it, and reads it again.
  static func keepMemory() {
    #if !canImport(Darwin)
      uplift_keep_memory()
    #endif
  }

  /// What kind of file system a path is on.
  static func fileSystem(of path: String) -> FileSystem {
    var found = statfs()
    guard statfs(path, &found) == 0 else {
      return FileSystem(name: "the file system", isLocal: false)
    }
    #if canImport(Darwin)
      return FileSystem(name: "the file system", isLocal: found.f_flags & UInt32(MNT_LOCAL) != 0)
    #else
      return FileSystem(number: Int(found.f_type) & 0xffff_ffff)
    #endif
  }

  /// How many bytes are free for this process where a path lies; nil where nobody can say.
  static func freeBytes(at path: String) -> Int64? {
    var found = statvfs()
    guard statvfs(path, &found) == 0 else { return nil }
    return Int64(found.f_bavail) * Int64(found.f_frsize)
  }

  /// Where SQLite puts what does not fit in memory, by its own order
  /// (sqlite.org/tempfiles.html, section 5).
  static var temporaryDirectory: String {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { value in
      value.map { String(cString: $0) }
    }
    return (named + ["/var/tmp", "/usr/tmp", "/tmp"]).first { access($0, W_OK | X_OK) == 0 } ?? "."
  }
}

/// An open file or directory; closed when it goes out of scope.
struct OpenFile: ~Copyable {
  private let descriptor: Int32

  private init(_ path: String, _ flags: Int32) throws(SystemError) {
    var opened: Int32
    repeat {
      opened = open(path, flags | O_CLOEXEC, 0o644)
    } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw .latest }
    descriptor = opened
  }

  static func reading(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_NONBLOCK)
  }

  static func directory(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_RDONLY | O_DIRECTORY)
  }

  /// A new file under a name that must be free, with the mode that SQLite would give it.
  static func creating(_ path: String) throws(SystemError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  deinit {
    close(descriptor)
  }

  borrowing func facts() throws(SystemError) -> FileFacts {
    var found = stat()
    guard fstat(descriptor, &found) == 0 else { throw .latest }
    return FileFacts(found)
  }

  /// Reads until the buffer is full or the file ends.
  borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
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
  borrowing func readStart(_ count: Int) throws(SystemError) -> [UInt8] {
    let bytes = try [UInt8](capacity: count) { buffer throws(SystemError) in
      try read(into: buffer)
    }
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .latest }
    return bytes
  }

  borrowing func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) {
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

  borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
    // An array gives its bytes to a closure that throws anything.
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(SystemError) in try write(buffer) }
    }
    try result.get()
  }

  /// Copies all of another file into this one, by the cheapest way that the file systems have:
  /// shared blocks, inside the kernel, by hand.
  borrowing func copyAll(of source: borrowing OpenFile) throws(SystemError) {
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
  borrowing func sync() throws(SystemError) {
    #if canImport(Darwin)
      guard fcntl(descriptor, F_FULLFSYNC) != -1 || fsync(descriptor) == 0 else { throw .latest }
    #else
      guard fsync(descriptor) == 0 else { throw .latest }
    #endif
  }

  /// False while somebody else has it; held until the file is closed.
  borrowing func lock() throws(SystemError) -> Bool {
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
