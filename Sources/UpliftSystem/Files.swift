internal import CUpliftSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The calls of the operating system that need no open file.
package enum System {}

/// What the system knows about a file.
///
/// If the facts differ at two moments, the file was changed. If they are equal, it was very
/// probably not changed.
package struct FileFacts: Hashable {
  package enum Kind: Hashable { case file, directory, link, other }

  /// Tells one file from another: all names of a file have the same identity.
  package struct Identity: Hashable {
    package let device: UInt64
    package let node: UInt64
  }

  /// The user and the group that a file belongs to.
  package struct Owner: Hashable {
    package let user: UInt32
    package let group: UInt32

    package var isRoot: Bool { user == 0 }
  }

  package let kind: Kind
  package let size: Int64
  package let links: Int
  package let identity: Identity
  package let owner: Owner
  /// The permissions, as `chmod` takes them.
  package let mode: UInt32
  /// The times of the last write, and of the last change of anything, which no program can set: in
  /// seconds and nanoseconds.
  private let times: [Int]

  init(_ found: stat) {
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
    owner = Owner(user: found.st_uid, group: found.st_gid)
    mode = UInt32(found.st_mode & 0o7777)
    #if canImport(Darwin)
      let moments = [found.st_mtimespec, found.st_ctimespec]
    #else
      let moments = [found.st_mtim, found.st_ctim]
    #endif
    times = moments.flatMap { [$0.tv_sec, $0.tv_nsec] }
  }
}

extension System {
  /// The facts of a file; nil if nothing has this name.
  package static func facts(of path: Path, followingLinks: Bool) throws(SystemError) -> FileFacts? {
    var found = stat()
    let name = path.cString
    guard (followingLinks ? stat(name, &found) : lstat(name, &found)) == 0 else {
      let error = SystemError.latest
      guard error.isNotThere else { throw error }
      return nil
    }
    return FileFacts(found)
  }

  /// True if the path names a symbolic link.
  package static func isLink(_ path: Path) throws(SystemError) -> Bool {
    try facts(of: path, followingLinks: false)?.kind == .link
  }

  /// The absolute path of the same file, without symbolic links.
  package static func resolve(_ path: Path) throws(SystemError) -> Path {
    guard let resolved = realpath(path.cString, nil) else { throw .latest }
    defer { free(resolved) }
    return Path(Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved))))
  }

  /// The text of a symbolic link; empty if it cannot be read.
  package static func target(ofLink path: Path) -> Path {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path.cString, &text, text.count)
    return Path(text.prefix(max(count, 0)).lazy.map { UInt8(bitPattern: $0) })
  }

  /// Gives a file a name, and replaces the file that has this name.
  package static func replace(_ final: Path, by path: Path) throws(SystemError) {
    guard rename(path.cString, final.cString) == 0 else { throw .latest }
  }

  /// Gives a file its final name, which must be free: another file is never replaced.
  package static func publish(_ path: Path, as final: Path) throws(SystemError) {
    #if canImport(Darwin)
      let result = renamex_np(path.cString, final.cString, UInt32(RENAME_EXCL))
    #else
      let result = renameat2(
        AT_FDCWD, path.cString, AT_FDCWD, final.cString, uplift_rename_noreplace)
    #endif
    if result == 0 { return }
    let error = SystemError.latest
    guard error.isUnsupported else { throw error }
    // On this file system a renaming cannot refuse a taken name.
    guard link(path.cString, final.cString) == 0 else { throw .latest }
    do {
      try removeFile(path)
    } catch  where error.isNotThere {
      // Another process has found that the file has two names, and has already removed the
      // temporary one.
    }
  }

  /// Removes a name of a file.
  package static func removeFile(_ path: Path) throws(SystemError) {
    guard unlink(path.cString) == 0 else { throw .latest }
  }

  /// Removes a file if that is possible: the caller has more important work to do.
  package static func discard(_ path: Path) {
    unlink(path.cString)
  }
}
