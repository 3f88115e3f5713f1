/// A kind of file system: what to call it, and who can reach what is on it.
package struct FileSystem: Hashable {
  /// The name that people mount it under.
  package let name: String
  /// True where a lock holds for everybody who can reach the files.
  ///
  /// Of a network file system a directory is locked on one machine only, whatever the call says.
  package let isLocal: Bool
}

extension FileSystem {
  /// By the number that Linux has for it (man 2 statfs); one that is not known is not trusted.
  package init(number: Int) {
    let local = Self.local[number]
    name = local ?? Self.shared[number] ?? "the file system 0x\(String(number, radix: 16))"
    isLocal = local != nil
  }

  private static let local: [Int: String] = [
    0xef53: "ext4", 0x5846_5342: "xfs", 0x9123_683e: "btrfs", 0x0102_1994: "tmpfs",
    0x794c_7630: "overlay", 0x2fc1_2fc1: "zfs", 0xf2f5_2010: "f2fs", 0xca45_1a4e: "bcachefs",
    0x4d44: "vfat", 0x2011_bab0: "exfat", 0x7366_746e: "ntfs3", 0x8584_58f6: "ramfs",
  ]

  private static let shared: [Int: String] = [
    0x6969: "nfs", 0xff53_4d42: "cifs", 0xfe53_4d42: "smb2", 0x6573_5546: "fuse",
    0x0102_1997: "9p", 0x00c3_6400: "ceph", 0x5346_544e: "ntfs",
  ]
}
