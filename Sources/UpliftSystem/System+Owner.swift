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
