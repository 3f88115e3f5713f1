#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// Copying a whole file, in pieces, so that the copy can be stopped in between.
extension OpenFile {
  /// The most bytes that are copied between two calls of `isStopped`.
  ///
  /// A slow disk writes them in half a second.
  private static let piece = 16 << 20

  /// Copies all of another file into this one; false if the copy was stopped.
  ///
  /// `isStopped` is called before each piece. The copy uses the cheapest way that the file systems
  /// support: first shared blocks (`ioctl` with `FICLONE`), then a copy inside the kernel
  /// (`copy_file_range`), then `read` and `write`.
  package borrowing func copyAll(
    of source: borrowing OpenFile, isStopped: () -> Bool
  ) throws(SystemError) -> Bool {
    var copied = 0
    var progress = Progress()
    #if !canImport(Darwin)
      if uplift_clone_file(descriptor, source.descriptor) == 0 { return true }
      guard SystemError.latest.isUnsupported else { throw .latest }
      while true {
        if isStopped() { return false }
        let count = copy_file_range(source.descriptor, nil, descriptor, nil, Self.piece, 0)
        if count < 0 {
          let error = SystemError.latest
          // The signal may ask to stop, so this loop asks `isStopped` before it repeats the call.
          if error.isInterrupted { continue }
          guard copied == 0, error.isUnsupported else { throw error }
          break
        }
        // Some file systems return 0 if they do not support the call. If so, the loop below copies.
        if count == 0 { break }
        copied += count
        try keepWriting(upTo: copied, &progress)
      }
    #endif
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
    defer { buffer.deallocate() }
    while true {
      if isStopped() { return false }
      let count = try source.read(into: buffer)
      if count == 0 { return true }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      copied += count
      try keepWriting(upTo: copied, &progress)
    }
  }

  /// Writes bytes to an empty file; false if the work was stopped.
  ///
  /// `isStopped` is called before each piece.
  package borrowing func writeAll(
    _ bytes: [UInt8], isStopped: () -> Bool
  ) throws(SystemError) -> Bool {
    var written = 0
    var progress = Progress()
    while written < bytes.count {
      if isStopped() { return false }
      let end = min(written + Self.piece, bytes.count)
      // `withUnsafeBytes` of an array does not pass on the type of an error.
      let result = bytes[written..<end].withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try write(buffer) }
      }
      try result.get()
      written = end
      try keepWriting(upTo: written, &progress)
    }
    return true
  }

  /// Tells the kernel to begin writing the latest piece to the disk, and waits until the piece
  /// before it is on the disk.
  ///
  /// The last sync cannot be cancelled. This keeps it short. An error of the disk is thrown here,
  /// because the kernel reports it only once, and the sync would succeed. The corresponding C
  /// function is `sync_file_range`.
  package borrowing func keepWriting(
    upTo end: Int, _ progress: inout Progress
  ) throws(SystemError) {
    guard end - progress.begun >= Self.piece else { return }
    #if !canImport(Darwin)
      let (done, begun) = (progress.done, progress.begun)
      try Self.checkDisk(uplift_start_writing(descriptor, off_t(begun), off_t(end - begun)))
      if begun > done {
        try Self.checkDisk(uplift_finish_writing(descriptor, off_t(done), off_t(begun - done)))
      }
    #endif
    progress = Progress(done: progress.begun, begun: end)
  }

  /// Ignores every error but those of the disk: `sync_file_range` is not essential.
  private static func checkDisk(_ result: Int32) throws(SystemError) {
    guard result != 0 else { return }
    let error = SystemError.latest
    guard !error.isDiskFailure else { throw error }
  }

  /// How much of a file was passed on to its disk.
  package struct Progress {
    /// The kernel has written the bytes before this one.
    fileprivate var done = 0
    /// The kernel was told to write the bytes before this one.
    fileprivate var begun = 0

    package init() {}

    fileprivate init(done: Int, begun: Int) {
      self.done = done
      self.begun = begun
    }
  }
}
