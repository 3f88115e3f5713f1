#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

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

  /// A point in time, since 1970.
  package struct Moment: Hashable, Comparable {
    package let seconds: Int
    package let nanoseconds: Int

    fileprivate init(_ time: timespec) {
      seconds = time.tv_sec
      nanoseconds = time.tv_nsec
    }

    package static func < (one: Moment, other: Moment) -> Bool {
      (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
  }

  package let kind: Kind
  package let size: Int64
  package let links: Int
  package let identity: Identity
  package let owner: Owner
  /// The permissions, as `chmod` takes them.
  package let mode: UInt32
  package let modified: Moment
  /// The time of the last change of anything; no program can set it (`cp -p` sets the other one).
  package let changed: Moment
}

extension FileFacts {
  /// The facts in the structure that `stat`, `lstat` and `fstat` fill in.
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
      modified = Moment(found.st_mtimespec)
      changed = Moment(found.st_ctimespec)
    #else
      modified = Moment(found.st_mtim)
      changed = Moment(found.st_ctim)
    #endif
  }
}

extension System {
  /// The facts of a file; nil if nothing has this name.
  ///
  /// The corresponding C functions are `stat` and `lstat`.
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

  /// Removes a name of a file.
  ///
  /// The corresponding C function is `unlink`.
  package static func removeFile(_ path: Path) throws(SystemError) {
    guard path.withCString({ unlink($0) }) == 0 else { throw .latest }
  }

  /// Removes a file if that is possible.
  ///
  /// A failure is ignored, because the caller has more important work to do. The corresponding C
  /// function is `unlink`.
  package static func discard(_ path: Path) {
    _ = path.withCString { unlink($0) }
  }
}
