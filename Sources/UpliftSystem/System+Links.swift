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

  /// The directories through which a path leads, and through which its links lead.
  ///
  /// The path need not exist. Too many links are an error, as for the system itself.
  package static func directories(
    onWayTo path: Path
  ) throws(SystemError) -> Set<FileFacts.Identity> {
    var found: Set<FileFacts.Identity> = []
    var place = Path("/")
    // The names that are still to come, the next one last.
    var names = path.names.reversed() as [ArraySlice<UInt8>]
    if !path.isAbsolute { names += try resolve(Path(".")).names.reversed() }
    var links = 0
    while let name = names.popLast() {
      let next = place.appending(name)
      guard let facts = try facts(of: next, followingLinks: false) else { return found }
      switch facts.kind {
      case .link:
        links += 1
        guard links <= 40 else { throw SystemError(code: ELOOP) }
        let target = target(ofLink: next)
        if target.isAbsolute { place = Path("/") }
        names += target.names.reversed() as [ArraySlice<UInt8>]
      case .directory:
        found.insert(facts.identity)
        place = next
      case .file, .other: return found
      }
    }
    return found
  }
}
