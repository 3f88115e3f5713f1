internal import CUpliftSystem

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension System {
  /// Makes a directory with a random name, which only this user can read.
  package static func makeScratchDirectory(in parent: Path) throws(SystemError) -> Path {
    var name = parent.appending("uplift-XXXXXX".utf8).cString
    guard mkdtemp(&name) != nil else { throw .latest }
    return Path(name.dropLast().map { UInt8(bitPattern: $0) })
  }

  /// Removes a directory and the files in it, if that is possible.
  package static func discardDirectory(_ path: Path) {
    do {
      for name in try names(in: path) { discard(path.appending(name)) }
      rmdir(path.cString)
    } catch {
      // The directory stays.
    }
  }

  /// Makes one directory; false if the name is taken already.
  package static func makeDirectory(_ path: Path) throws(SystemError) -> Bool {
    if mkdir(path.cString, 0o777) == 0 { return true }
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

  /// Passes each name in a directory but `.` and `..` to `body`, in no order.
  ///
  /// The bytes of a name are valid during the call only.
  package static func forEachName(
    in directory: Path, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) throws(SystemError) {
    guard let stream = opendir(directory.cString) else { throw .latest }
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

  /// True if this process may give files to other users.
  package static var isRoot: Bool { geteuid() == 0 }

  /// Gives root's file to another user.
  ///
  /// It does not open the file for reading, because closing it would drop the locks that this
  /// process's SQLite holds on it. The owner changes only if the file is still the one that
  /// `expected` describes, and only if it has a single name: the directory belongs to a user who
  /// could put another file in its place. Darwin has no call that can compare the file.
  package static func giveAway(
    _ path: Path, _ expected: FileFacts, to owner: FileFacts.Owner
  ) throws(SystemError) {
    guard expected.owner.isRoot, expected.links == 1 else { return }
    #if canImport(Darwin)
      let result = lchown(path.cString, owner.user, owner.group)
    #else
      let file = try OpenFile.namingOnly(path)
      guard try file.facts() == expected else { return }
      let result = uplift_give_file(file.descriptor, owner.user, owner.group)
    #endif
    guard result == 0 || SystemError.latest.isUnsupported else { throw .latest }
  }

  /// The file system that a path lies on; one that the system does not tell is not trusted.
  package static func fileSystem(of path: Path) -> FileSystem {
    var found = statfs()
    guard statfs(path.cString, &found) == 0 else {
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
  package static func freeBytes(at path: Path) -> Int64? {
    volume(of: path).map { Int64($0.f_bavail) * Int64($0.f_frsize) }
  }

  /// True if no file can be made on the file system of a path, because it has no free inode.
  ///
  /// Some file systems, such as Btrfs, have no fixed number of inodes and report none at all.
  package static func hasNoFreeInode(at path: Path) -> Bool {
    volume(of: path).map { $0.f_files > 0 && $0.f_favail == 0 } ?? false
  }

  private static func volume(of path: Path) -> statvfs? {
    var found = statvfs()
    return statvfs(path.cString, &found) == 0 ? found : nil
  }
}

/// The directories in which SQLite makes its temporary files.
extension System {
  /// The directories that SQLite tries after those of the environment, in its order
  /// (sqlite.org/tempfiles.html, section 5).
  private static let usualDirectories = ["/var/tmp", "/usr/tmp", "/tmp", "."].map { Path($0) }

  /// The directory in which SQLite makes temporary files: the first one that can be written.
  package static var temporaryDirectory: Path {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { value in
      value.map { Path(Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))) }
    }
    return (named + usualDirectories).first(where: isWritable) ?? Path(".")
  }

  /// True if the environment names a directory for temporary files, or if one of the usual
  /// directories can be written.
  package static var hasTemporaryDirectory: Bool {
    let isNamed = ["SQLITE_TMPDIR", "TMPDIR"].contains { environment($0)?.isEmpty == false }
    return isNamed || usualDirectories.contains(where: isWritable)
  }

  /// True if this process has the right to make files in a directory.
  ///
  /// It may be impossible even so: root has the right to write `/proc`.
  package static func isWritable(_ directory: Path) -> Bool {
    access(directory.cString, W_OK | X_OK) == 0
  }

  /// Tells SQLite, which must not be in use yet, to make its temporary files in a directory.
  package static func setTemporaryDirectory(_ directory: Path) {
    setenv("SQLITE_TMPDIR", directory.cString, 1)
  }

  /// Removes the empty temporary files that a killed process left in a directory.
  ///
  /// SQLite unlinks a temporary file right after it has opened it. If the process is killed between
  /// the two calls, an empty file stays. SQLite does not need its name, so the file can be removed
  /// even while it is in use. Errors are ignored: the files do no harm.
  package static func discardTemporaryFiles(in directory: Path) {
    do {
      for name in try names(in: directory) where isTemporary(name) {
        let path = directory.appending(name)
        guard let facts = try facts(of: path, followingLinks: false) else { continue }
        if facts.kind == .file, facts.size == 0 { discard(path) }
      }
    } catch {
      // Some of the files stay.
    }
  }

  /// True for `etilqs_` and sixteen hexadecimal digits.
  private static func isTemporary(_ name: [UInt8]) -> Bool {
    let (prefix, digits) = ("etilqs_".utf8, "0123456789abcdef".utf8)
    return name.count == prefix.count + 16 && name.starts(with: prefix)
      && name.dropFirst(prefix.count).allSatisfy(digits.contains)
  }
}

/// A kind of file system.
package struct FileSystem: Hashable {
  /// The name that is used to mount it.
  package let name: String
  /// True if a lock holds for every process that can reach the files.
  ///
  /// On a network file system `flock` locks on one machine only, though it reports success.
  package let isLocal: Bool
}

extension FileSystem {
  /// The file system that Linux gives this number (`man 2 statfs`); an unknown one is not local.
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

  private static let notTrusted: [Int: String] = [
    0x6969: "nfs", 0xff53_4d42: "cifs", 0xfe53_4d42: "smb2", 0x6573_5546: "fuse",
    0x0102_1997: "9p", 0x00c3_6400: "ceph", 0x5346_544e: "ntfs",
  ]
}
