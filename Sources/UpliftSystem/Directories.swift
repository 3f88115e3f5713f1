#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// The calls of the operating system that need no open file.
///
/// `System` has no state. Each extension of it is about one subject.
package enum System {}

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

extension System {
  /// True if this process may give files to other users.
  ///
  /// The corresponding C function is `geteuid`.
  package static var isRoot: Bool { geteuid() == 0 }

  /// Changes the owner of root's file to another user.
  ///
  /// It does not open the file for reading, because closing it would drop the locks that this
  /// process's SQLite holds on it.
  ///
  /// The owner changes only if the file is still the one that `expected` describes, and only if it
  /// has a single name. The directory belongs to a user who could put another file in its place.
  /// Darwin has no call that can compare the file. The corresponding C function is `fchownat` (on Darwin `lchown`).
  package static func giveAway(
    _ path: Path, _ expected: FileFacts, to owner: FileFacts.Owner
  ) throws(SystemError) {
    #if canImport(Darwin)
      guard expected.owner.isRoot, expected.links == 1 else { return }
      let result = path.withCString { lchown($0, owner.user, owner.group) }
    #else
      let file = try OpenFile.namingOnly(path)
      guard try file.facts() == expected, expected.owner.isRoot, expected.links == 1 else { return }
      let result = uplift_give_file(file.descriptor, owner.user, owner.group)
    #endif
    guard result != 0 else { return }
    guard SystemError.latest.isUnsupported else { throw .latest }
  }
}

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

/// A kind of file system.
package struct FileSystem: Hashable {
  /// The name that is used to mount it.
  package let name: String
  /// True if a lock holds for every process that can reach the files.
  ///
  /// On a network file system `flock` locks a directory on one machine only, though it reports
  /// success.
  package let isLocal: Bool
}

extension FileSystem {
  /// The file system that Linux gives this number (`man 2 statfs`).
  ///
  /// A file system with an unknown number counts as not local.
  package init(number: Int) {
    let local = Self.local[number]
    name = local ?? Self.notTrusted[number] ?? "the file system 0x\(String(number, radix: 16))"
    isLocal = local != nil
  }

  private static let local: [Int: String] = [
    0xef53: "ext4", 0x5846_5342: "xfs", 0x9123_683e: "btrfs", 0x0102_1994: "tmpfs",
    0x794c_7630: "overlay", 0x2fc1_2fc1: "zfs", 0xf2f5_2010: "f2fs", 0xca45_1a4e: "bcachefs",
    0x4d44: "vfat", 0x2011_bab0: "exfat", 0x7366_746e: "ntfs3", 0x8584_58f6: "ramfs",
  ]

  /// The others with a known name; they count as not local.
  private static let notTrusted: [Int: String] = [
    0x6969: "nfs", 0xff53_4d42: "cifs", 0xfe53_4d42: "smb2", 0x6573_5546: "fuse",
    0x0102_1997: "9p", 0x00c3_6400: "ceph", 0x5346_544e: "ntfs",
  ]
}
