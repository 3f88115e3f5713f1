/// The statements of a script that made a change.
package enum TouchOrigin: Hashable, Sendable {
  /// One statement did. The number is the offset of its first byte, as it was given to the script
  /// guard.
  case one(Int)
  /// More than one statement did.
  case several

  package func merged(with other: TouchOrigin) -> TouchOrigin { self == other ? self : .several }
}
