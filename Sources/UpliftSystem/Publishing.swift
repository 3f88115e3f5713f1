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

/// The directories in which SQLite makes its temporary files.
extension System {
  /// The directories that SQLite tries after those of the environment, in its order
  /// (sqlite.org/tempfiles.html, section 5).
  private static let usualDirectories = ["/var/tmp", "/usr/tmp", "/tmp", "."]

  /// The directory in which SQLite makes temporary files: the first one that can be written.
  ///
  /// The corresponding C functions are `getenv` and `access`.
  package static var temporaryDirectory: Path {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { value in
      value.map { Path(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
    }
    return (named + usualDirectories.map { Path($0) }).first(where: isWritable) ?? Path(".")
  }

  /// True if the environment names a directory for temporary files, or if one of the usual
  /// directories can be written.
  package static var hasTemporaryDirectory: Bool {
    let isNamed = ["SQLITE_TMPDIR", "TMPDIR"].contains { environment($0)?.isEmpty == false }
    return isNamed || usualDirectories.contains { isWritable(Path($0)) }
  }

  /// True if this process has the right to make files in a directory.
  ///
  /// It may be impossible even so: for example, root has the right to write `/proc`, where nobody
  /// can make a file.
  package static func isWritable(_ directory: Path) -> Bool {
    directory.withCString { access($0, W_OK | X_OK) } == 0
  }

  /// Makes a file without a name in a directory, and closes it.
  ///
  /// The corresponding C functions are `mkstemp` and `unlink`.
  package static func tryTemporaryFile(in directory: Path) throws(SystemError) {
    var name = directory.appending("uplift-XXXXXX".utf8).bytes.map { CChar(bitPattern: $0) } + [0]
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw .latest }
    unlink(name)
    close(descriptor)
  }

  /// Tells SQLite to make its temporary files in a directory.
  ///
  /// SQLite must not be in use yet. The corresponding C function is `setenv`.
  package static func setTemporaryDirectory(_ directory: Path) {
    _ = directory.withCString { setenv("SQLITE_TMPDIR", $0, 1) }
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
    let prefix = Array("etilqs_".utf8)
    let digits = Array("0123456789abcdef".utf8)
    return name.count == prefix.count + 16 && name.starts(with: prefix)
      && name.dropFirst(prefix.count).allSatisfy(digits.contains)
  }
}
