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
