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
