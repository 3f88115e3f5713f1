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
