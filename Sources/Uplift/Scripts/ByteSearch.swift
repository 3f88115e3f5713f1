/// Sixteen bytes of a script, looked at together.
///
/// They are compared with sixteen others, and never with one number: only then does the compiler
/// make one instruction of it.
typealias ByteBlock = SIMD16<UInt8>

/// A text with sixteen zeros behind it, as `ScriptBytes` keeps it.
extension UnsafeBufferPointer<UInt8> {
  /// The first byte, from one on, that a test of sixteen at a time finds; the end where none is.
  ///
  /// The last block reaches beyond the text. A test that finds zeros finds the end.
  @inline(__always)
  func firstIndex(
    from start: Int, whereBlock test: (_ index: Int) -> SIMDMask<ByteBlock.MaskStorage>
  ) -> Int {
    var index = start
    while index < count {
      let found = unsafeBitCast(test(index), to: SIMD2<UInt64>.self)
      if found[0] | found[1] != 0 {
        return found[0] != 0
          ? index &+ found[0].trailingZeroBitCount / 8
          : index &+ found[1].trailingZeroBitCount / 8 &+ 8
      }
      index &+= 16
    }
    return count
  }

  /// The sixteen bytes from one on.
  @inline(__always)
  func block(at index: Int) -> ByteBlock {
    UnsafeRawPointer(baseAddress.unsafelyUnwrapped + index).loadUnaligned(as: ByteBlock.self)
  }

  /// The first such byte, from one on; nil where none is.
  @inline(__always)
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    let wanted = ByteBlock(repeating: byte)
    let index = firstIndex(from: start) { block(at: $0) .== wanted }
    return index < count ? index : nil
  }
}

extension UnsafeRawBufferPointer {
  /// True if one of the bytes is zero; the sixteen after them must be readable.
  var hasZero: Bool { bindMemory(to: UInt8.self).firstIndex(of: 0, from: 0) != nil }
}

extension ByteBlock {
  /// Where its bytes are this one.
  @inline(__always)
  func contains(_ character: Unicode.Scalar) -> SIMDMask<MaskStorage> {
    self .== ByteBlock(repeating: UInt8(ascii: character))
  }
}
