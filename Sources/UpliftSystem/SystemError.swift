#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What the operating system answered to a call that failed.
package struct SystemError: Error, Hashable {
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  package static var latest: SystemError { SystemError(code: errno) }

  package var words: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
  package var isNotThere: Bool { code == ENOENT }
  package var isTaken: Bool { code == EEXIST }
  package var isNotADirectory: Bool { code == ENOTDIR }
  package var isDirectory: Bool { code == EISDIR }
  /// A socket cannot be opened, nor a device that nobody drives.
  package var isNoFile: Bool { code == ENXIO || code == ENODEV }
  package var isLinkLoop: Bool { code == ELOOP }
  package var isNameTooLong: Bool { code == ENAMETOOLONG }
  package var isTooManyFiles: Bool { code == EMFILE || code == ENFILE }
  package var isDenied: Bool { code == EACCES || code == EPERM || code == EROFS }
  package var isDiskFailure: Bool { code == EIO || code == ENOSPC || code == EDQUOT }
  /// The file system does not know the call, or does not know it for these two files.
  package var isUnsupported: Bool {
    [ENOSYS, EINVAL, EOPNOTSUPP, ENOTTY, EXDEV, EPERM, ENOLCK, EBADF].contains(code)
  }
}
