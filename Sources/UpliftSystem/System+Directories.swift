#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension System {
  /// Makes a directory with a random name, which only this user can read.
  ///
  /// The corresponding C function is `mkdtemp`.
  package static func makeScratchDirectory(in parent: Path) throws(SystemError) -> Path {
    var name = parent.appending("uplift-XXXXXX".utf8).bytes.map { CChar(bitPattern: $0) } + [0]
    guard mkdtemp(&name) != nil else { throw .latest }
    return Path(name.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// Removes a directory and the files in it, if that is possible.
  ///
  /// The corresponding C function is `rmdir`.
  package static func discardDirectory(_ path: Path) {
    do {
      for name in try names(in: path) { discard(path.appending(name)) }
    } catch {
      return
    }
    _ = path.withCString { rmdir($0) }
  }

  /// Makes one directory; false if the name is taken already.
  ///
  /// The corresponding C function is `mkdir`.
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

  /// Passes each name in a directory to `body`, in no order.
  ///
  /// The bytes of a name are valid during the call only. The names `.` and `..` are left out. The
  /// corresponding C functions are `opendir` and `readdir`.
  package static func forEachName(
    in directory: Path, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(SystemError) {
    guard let stream = directory.withCString({ opendir($0) }) else { throw .latest }
    defer { closedir(stream) }
    // At the end of the directory `readdir` returns a null pointer and leaves `errno` as it was.
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
}
