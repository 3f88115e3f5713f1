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
  /// Gives a file a name, and replaces the file that has this name.
  ///
  /// The corresponding C function is `rename`.
  package static func replace(_ final: Path, by path: Path) throws(SystemError) {
    let result = path.withCString { path in final.withCString { final in rename(path, final) } }
    guard result == 0 else { throw .latest }
  }

  /// Gives a file a second name, which must be free.
  ///
  /// The corresponding C function is `link`.
  package static func addName(_ name: Path, to path: Path) throws(SystemError) {
    let result = path.withCString { path in name.withCString { name in link(path, name) } }
    guard result == 0 else { throw .latest }
  }

  /// Gives a file its final name.
  ///
  /// The name must be free: another file is never replaced.
  ///
  /// The corresponding C function is `renameat2` (on Darwin `renamex_np`). On a file system on
  /// which these cannot refuse a taken name, it uses `link` and `unlink`.
  package static func publish(_ path: Path, as final: Path) throws(SystemError) {
    let result = path.withCString { path in
      final.withCString { final in
        #if canImport(Darwin)
          renamex_np(path, final, UInt32(RENAME_EXCL))
        #else
          renameat2(AT_FDCWD, path, AT_FDCWD, final, uplift_rename_noreplace)
        #endif
      }
    }
    if result == 0 { return }
    let error = SystemError.latest
    guard error.isUnsupported else { throw error }
    try addName(final, to: path)
    do {
      try removeFile(path)
    } catch  where error.isNotThere {
      // Another process has found that the file has two names, and has already removed the
      // temporary one.
    }
  }
}
