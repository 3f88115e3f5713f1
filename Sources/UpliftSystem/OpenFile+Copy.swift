#if canImport(Glibc)
  internal import CUpliftSystem
  internal import Glibc
#elseif canImport(Musl)
  internal import CUpliftSystem
  internal import Musl
#else
  internal import Darwin
#endif

/// Copying a whole file, in pieces small enough that somebody can stop it.
extension OpenFile {
  /// A slow disk writes this much in half a second.
  private static let piece = 16 << 20

  /// Copies all of another file into this one, by the cheapest way that the file systems have:
  /// shared blocks, inside the kernel, by hand.
  ///
  /// False if it was stopped in the middle; `isStopped` is asked before each piece.
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
        if count < 0, errno == EINTR { continue }
        if count < 0, copied == 0, SystemError.latest.isUnsupported { break }
        guard count >= 0 else { throw .latest }
        // Some file systems answer 0 to what they cannot do; the reading below finds out.
        if count == 0 { break }
        copied += count
        try startWriting(upTo: copied, &progress)
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
      try startWriting(upTo: copied, &progress)
    }
  }

  /// Writes bytes to an empty file; false if it was stopped in the middle.
  package borrowing func writeAll(
    _ bytes: [UInt8], isStopped: () -> Bool
  ) throws(SystemError) -> Bool {
    var written = 0
    var progress = Progress()
    while written < bytes.count {
      if isStopped() { return false }
      let end = min(written + Self.piece, bytes.count)
      // An array does not lend its bytes to a closure with a typed error.
      let result = bytes[written..<end].withUnsafeBytes { buffer in
        Result { () throws(SystemError) in try write(buffer) }
      }
      try result.get()
      written = end
      try startWriting(upTo: written, &progress)
    }
    return true
  }

  /// Has the kernel begin to write what was copied, and waits for the piece before the latest, so
  /// that the sync at the end, which nobody can stop, is short.
  ///
  /// An error of the disk counts: the kernel reports it once, and the sync would not hear it.
  private borrowing func startWriting(
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

  private static func checkDisk(_ result: Int32) throws(SystemError) {
    guard result != 0 else { return }
    let error = SystemError.latest
    guard !error.isDiskFailure else { throw error }
  }

  /// Up to which byte a file is on its disk, and up to which it is on the way there.
  private struct Progress {
    var done = 0
    var begun = 0
  }
}
