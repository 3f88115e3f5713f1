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
  /// Nil if nothing has that name.
  package static func facts(of path: Path, followingLinks: Bool) throws(SystemError) -> FileFacts? {
    var found = stat()
    let result = path.withCString { followingLinks ? stat($0, &found) : lstat($0, &found) }
    guard result == 0 else {
      let error = SystemError.latest
      guard error.isNotThere else { throw error }
      return nil
    }
    return FileFacts(found)
  }

  package static func isLink(_ path: Path) throws(SystemError) -> Bool {
    try facts(of: path, followingLinks: false)?.kind == .link
  }

  /// The absolute path with every link followed.
  package static func resolve(_ path: Path) throws(SystemError) -> Path {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { throw .latest }
    defer { free(resolved) }
    return Path(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
  }

  /// What a link says, empty if it cannot be read.
  package static func target(ofLink path: Path) -> Path {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return Path("") }
      let count = path.withCString { readlink($0, start, buffer.count) }
      return Path(buffer.prefix(max(count, 0)).lazy.map { UInt8(bitPattern: $0) })
    }
  }

  /// Makes one directory; false if it is there already.
  package static func makeDirectory(_ path: Path) throws(SystemError) -> Bool {
    if path.withCString({ mkdir($0, 0o777) }) == 0 { return true }
    let error = SystemError.latest
    guard error.isTaken else { throw error }
    return false
  }

  /// The names in a directory, as bytes and in no order.
  package static func names(in directory: Path) throws(SystemError) -> [[UInt8]] {
    var names: [[UInt8]] = []
    try forEachName(in: directory) { names.append(Array($0)) }
    return names
  }

  /// Hands over the names in a directory, in no order, each for the length of the call.
  package static func forEachName(
    in directory: Path, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(SystemError) {
    guard let stream = directory.withCString({ opendir($0) }) else { throw .latest }
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

  package static func removeFile(_ path: Path) throws(SystemError) {
    guard path.withCString({ unlink($0) }) == 0 else { throw .latest }
  }

  /// Removes a file if possible; a failure matters less than the work that goes on.
  package static func discard(_ path: Path) {
    _ = path.withCString { unlink($0) }
  }

  /// Gives a file its final name, which must be free: never in the place of another.
  package static func publish(_ path: Path, as final: Path) throws(SystemError) {
    let result = path.withCString { path in
      final.withCString { final in
        #if canImport(Darwin)
          renamex_np(path, final, UInt32(RENAME_EXCL))
        #else
          renameat2(AT_FDCWD, path, AT_FDCWD, final, uplift_rename_noreplace)
        #endif
      }
    }
    if result == 0 { return }
    let error = SystemError.latest
    guard error.isUnsupported else { throw error }
    let linked = path.withCString { path in final.withCString { final in link(path, final) } }
    guard linked == 0 else { throw .latest }
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
  package static func fileSystem(of path: Path) -> FileSystem {
    var found = statfs()
    guard path.withCString({ statfs($0, &found) }) == 0 else {
      return FileSystem(name: "the file system", isLocal: false)
    }
    #if canImport(Darwin)
      return FileSystem(name: "the file system", isLocal: found.f_flags & UInt32(MNT_LOCAL) != 0)
    #else
      return FileSystem(number: Int(found.f_type) & 0xffff_ffff)
    #endif
  }

  /// How many bytes are free for this process on a path's disk; nil if nobody can say.
  package static func freeBytes(at path: Path) -> Int64? {
    var found = statvfs()
    guard path.withCString({ statvfs($0, &found) }) == 0 else { return nil }
    return Int64(found.f_bavail) * Int64(found.f_frsize)
  }

  /// Where SQLite puts what does not fit in memory, by its own order
  /// (sqlite.org/tempfiles.html, section 5).
  package static var temporaryDirectory: Path {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { value in
      value.map { Path(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
    return (named + ["/var/tmp", "/usr/tmp", "/tmp"].map { Path($0) }).first { directory in
      directory.withCString { access($0, W_OK | X_OK) } == 0
    } ?? Path(".")
  }

  /// True if the process may give files to other users.
  package static var isRoot: Bool { geteuid() == 0 }

  /// Gives a file of root's to somebody, without opening it: to close a file of SQLite's drops
  /// SQLite's locks on it.
  ///
  /// Only the very file that was looked at, and only one with a single name: its directory belongs
  /// to somebody who could put another in its place.
  package static func giveAway(
    _ path: Path, _ expected: FileFacts, to owner: FileFacts.Owner
  ) throws(SystemError) {
    #if canImport(Darwin)
      guard expected.owner.isRoot, expected.links == 1 else { return }
      let result = path.withCString { lchown($0, owner.user, owner.group) }
    #else
      let descriptor = path.withCString { open($0, uplift_open_path | O_NOFOLLOW | O_CLOEXEC) }
      guard descriptor >= 0 else { throw .latest }
      defer { close(descriptor) }
      var found = stat()
      guard fstat(descriptor, &found) == 0 else { throw .latest }
      guard FileFacts(found) == expected, expected.owner.isRoot, expected.links == 1 else { return }
      let result = uplift_give_file(descriptor, owner.user, owner.group)
    #endif
    guard result != 0 else { return }
    guard SystemError.latest.isUnsupported else { throw .latest }
  }
}
