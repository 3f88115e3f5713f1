#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Memory of a size that comes from outside.
package enum Memory {
  /// Nil if there is not so much; Swift's own `allocate` ends the process then.
  package static func take(_ count: Int) -> UnsafeMutableRawPointer? {
    malloc(max(count, 1))
  }

  package static func giveBack(_ start: UnsafeMutableRawPointer) {
    free(start)
  }
}
