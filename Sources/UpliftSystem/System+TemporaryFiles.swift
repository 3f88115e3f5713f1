#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The directories in which SQLite makes its temporary files.
extension System {
  /// Where SQLite looks if the environment names nothing, in its order
  /// (sqlite.org/tempfiles.html, section 5).
  private static let usualDirectories = ["/var/tmp", "/usr/tmp", "/tmp", "."]

  /// True if the environment names a directory for temporary files, or a usual one can be written.
  package static var hasTemporaryDirectory: Bool {
    let isNamed = ["SQLITE_TMPDIR", "TMPDIR"].contains { environment($0)?.isEmpty == false }
    return isNamed || usualDirectories.contains { access($0, W_OK | X_OK) == 0 }
  }

  /// Has SQLite make its temporary files in a directory; before SQLite is used.
  package static func setTemporaryDirectory(_ directory: Path) {
    _ = directory.withCString { setenv("SQLITE_TMPDIR", $0, 1) }
  }

  /// Removes empty files of SQLite's that a killed process left in a directory.
  ///
  /// SQLite unlinks a temporary file as soon as it has opened it. A process that is killed between
  /// the two leaves an empty file, and nobody needs its name: SQLite goes on without it.
  package static func discardTemporaryFiles(in directory: Path) {
    guard let list = directory.withCString({ opendir($0) }) else { return }
    defer { closedir(list) }
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      guard isTemporary(name) else { continue }
      directory.appending(name).withCString { path in
        var found = stat()
        guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_size == 0
        else { return }
        unlink(path)
      }
    }
  }

  /// `etilqs_` and sixteen hexadecimal digits.
  private static func isTemporary(_ name: [UInt8]) -> Bool {
    let prefix = Array("etilqs_".utf8)
    let digits = Array("0123456789abcdef".utf8)
    return name.count == prefix.count + 16 && name.starts(with: prefix)
      && name.dropFirst(prefix.count).allSatisfy(digits.contains)
  }
}
