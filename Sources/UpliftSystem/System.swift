#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// Calls that take a path.
package enum System {
  /// Nil where nothing has that name.
  package static func facts(of path: String, followingLinks: Bool) throws(SystemError) -> FileFacts?
  {
    var found = stat()
    guard (followingLinks ? stat(path, &found) : lstat(path, &found)) == 0 else {
      let error = SystemError.latest
      guard error.isNotThere else { throw error }
      return nil
    }
    return FileFacts(found)
  }

  package static func isLink(_ path: String) throws(SystemError) -> Bool {
    try facts(of: path, followingLinks: false)?.kind == .link
  }

  /// The absolute path with every link followed.
  package static func resolve(_ path: String) throws(SystemError) -> String {
    guard let resolved = realpath(path, nil) else { throw .latest }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  package static func target(ofLink path: String) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      let count = readlink(path, start, buffer.count)
      guard count >= 0 else { return "" }
      return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Makes one directory; false where it is there already.
  package static func makeDirectory(_ path: String) throws(SystemError) -> Bool {
    if mkdir(path, 0o777) == 0 { return true }
    let error = SystemError.latest
    guard error.isTaken else { throw error }
    return false
  }

  /// The names in a directory, in no order.
  package static func names(in directory: String) throws(SystemError) -> [String] {
    var names: [String] = []
    try forEachName(in: directory) { names.append(String(decoding: $0, as: UTF8.self)) }
    return names
  }

  /// Hands over the names in a directory, in no order, each for the length of the call.
  package static func forEachName(
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

  package static func removeFile(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 else { throw .latest }
  }

  /// Removes a file where a failure matters less than what is going on.
  package static func discard(_ path: String) {
    unlink(path)
  }

  /// Gives a file its final name, which must be free: never in the place of another.
  package static func publish(_ path: String, as final: String) throws(SystemError) {
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
  package static func stamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = "\(parts.tm_year + 1900)" + padded(parts.tm_mon + 1) + padded(parts.tm_mday)
    return date + "T" + padded(parts.tm_hour) + padded(parts.tm_min) + padded(parts.tm_sec) + "Z"
  }

  /// Keeps memory that is given back for who wants some next: SQLite forgets the schema when a
  /// script changes it, and reads it again.
  package static func keepMemory() {
    #if !canImport(Darwin)
      uplift_keep_memory()
    #endif
  }

  /// What kind of file system a path is on.
  package static func fileSystem(of path: String) -> FileSystem {
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
  package static func freeBytes(at path: String) -> Int64? {
    var found = statvfs()
    guard statvfs(path, &found) == 0 else { return nil }
    return Int64(found.f_bavail) * Int64(found.f_frsize)
  }

  /// Where SQLite puts what does not fit in memory, by its own order
  /// (sqlite.org/tempfiles.html, section 5).
  package static var temporaryDirectory: String {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { value in
      value.map { String(cString: $0) }
    }
    return (named + ["/var/tmp", "/usr/tmp", "/tmp"]).first { access($0, W_OK | X_OK) == 0 } ?? "."
  }
}
