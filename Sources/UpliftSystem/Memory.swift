#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Memory blocks whose size comes from a file, so the machine may not have enough.
package enum Memory {
  /// A block of memory; nil if there is not enough.
  ///
  /// Without enough memory, Swift's own `allocate` ends the process. The corresponding C function
  /// is `malloc`.
  package static func take(_ count: Int) -> UnsafeMutableRawPointer? {
    malloc(max(count, 1))
  }

  /// Frees a block.
  ///
  /// The corresponding C function is `free`.
  package static func giveBack(_ start: UnsafeMutableRawPointer) {
    free(start)
  }
}

extension UnsafeMutableRawBufferPointer {
  /// True if the first bytes of both buffers are the same.
  ///
  /// The corresponding C function is `memcmp`.
  package func begins(as other: UnsafeMutableRawBufferPointer, count: Int) -> Bool {
    guard count > 0 else { return true }
    guard count <= self.count, count <= other.count, let left = baseAddress,
      let right = other.baseAddress
    else { return false }
    return memcmp(left, right, count) == 0
  }
}
