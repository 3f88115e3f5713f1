#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension System {
  /// True if the path names a symbolic link.
  package static func isLink(_ path: Path) throws(SystemError) -> Bool {
    try facts(of: path, followingLinks: false)?.kind == .link
  }

  /// The absolute path of the same file, without symbolic links.
  ///
  /// The corresponding C function is `realpath`.
  package static func resolve(_ path: Path) throws(SystemError) -> Path {
    guard let resolved = path.withCString({ realpath($0, nil) }) else { throw .latest }
    defer { free(resolved) }
    return Path(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
  }

  /// The text of a symbolic link; empty if it cannot be read.
  ///
  /// The corresponding C function is `readlink`.
  package static func target(ofLink path: Path) -> Path {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return Path("") }
      let count = path.withCString { readlink($0, start, buffer.count) }
      return Path(buffer.prefix(max(count, 0)).lazy.map { UInt8(bitPattern: $0) })
    }
  }
}
