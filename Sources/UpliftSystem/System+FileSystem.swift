#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

extension System {
  /// The file system that a path lies on.
  ///
  /// The corresponding C function is `statfs`. If it fails, the file system is not trusted.
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

  /// The number of bytes that this process may still write on the file system of a path; nil if the
  /// system does not say.
  ///
  /// The corresponding C function is `statvfs`.
  package static func freeBytes(at path: Path) -> Int64? {
    var found = statvfs()
    guard path.withCString({ statvfs($0, &found) }) == 0 else { return nil }
    return Int64(found.f_bavail) * Int64(found.f_frsize)
  }

  /// True if no file can be made on the file system of a path, because it has no free inode.
  ///
  /// Some file systems, such as Btrfs, have no fixed number of inodes and report none at all.
  package static func hasNoFreeInode(at path: Path) -> Bool {
    var found = statvfs()
    guard path.withCString({ statvfs($0, &found) }) == 0 else { return false }
    return found.f_files > 0 && found.f_favail == 0
  }
}
