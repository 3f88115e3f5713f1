/// Searches for bytes in a script, sixteen at a time.
///
/// Every search starts at an offset. It returns the offset of the first byte that it looks for, or
/// `count` if there is none. A plain loop gives the same answers; the tests compare both.
///
/// Each search loads blocks of sixteen bytes, and the last block may reach past the end of the
/// text. So sixteen bytes after the text must be readable. `ScriptBytes` keeps zeros there.
package struct ByteSearch {
  private let text: UnsafeBufferPointer<UInt8>

  package init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// The first byte with this value.
  @inline(__always)
  package func firstIndex(of byte: UInt8, from start: Int) -> Int {
    let wanted = Block(repeating: byte)
    return firstIndex(from: start) { $0 .== wanted }
  }

  /// The first byte that is this letter in upper or lower case; `letter` is in lower case.
  package func firstIndex(ofLetter letter: UInt8, from start: Int) -> Int {
    let wanted = Block(repeating: letter)
    let lowerCase = Block(repeating: 0x20)
    return firstIndex(from: start) { $0 | lowerCase .== wanted }
  }

  /// The first byte that may end a statement, or may begin a quoted text or a comment.
  ///
  /// These bytes are `;`, the four opening quotes, `-` and `/`.
  @inline(__always)
  package func firstIndexOfMark(from start: Int) -> Int {
    firstIndex(from: start) { block in
      block.contains(";") .| block.contains("'") .| block.contains("\"")
        .| block.contains("`") .| block.contains("[") .| block.contains("-")
        .| block.contains("/")
    }
  }

  /// The first byte that is not plain text: zero, a carriage return, or not ASCII.
  @inline(__always)
  package func firstIndexOfSpecial(from start: Int) -> Int {
    firstIndex(from: start) { block in
      // As signed numbers, all bytes beyond ASCII are below zero.
      let isASCII = SIMD16<Int8>(truncatingIfNeeded: block) .> SIMD16<Int8>()
      return block.contains("\r") .| .!isASCII
    }
  }

  /// A block is compared with another block and never with a single byte.
  ///
  /// Otherwise the compiler does not make one instruction of the comparison.
  fileprivate typealias Block = SIMD16<UInt8>

  /// The first byte that the test marks in its block.
  ///
  /// The test may mark bytes after the text, but no search returns more than `count`.
  @inline(__always)
  private func firstIndex(
    from start: Int, where test: (_ block: Block) -> SIMDMask<Block.MaskStorage>
  ) -> Int {
    guard let base = text.baseAddress else { return text.count }
    var index = start
    while index < text.count {
      let block = UnsafeRawPointer(base + index).loadUnaligned(as: Block.self)
      let found = unsafeBitCast(test(block), to: SIMD2<UInt64>.self)
      if found[0] | found[1] != 0 {
        let distance =
          found[0] != 0
          ? found[0].trailingZeroBitCount / 8 : found[1].trailingZeroBitCount / 8 &+ 8
        return min(index &+ distance, text.count)
      }
      index &+= 16
    }
    return text.count
  }
}

extension ByteSearch.Block {
  /// Marks the bytes that are this character.
  @inline(__always)
  fileprivate func contains(_ character: Unicode.Scalar) -> SIMDMask<MaskStorage> {
    self .== ByteSearch.Block(repeating: UInt8(ascii: character))
  }
}

extension UnsafeRawBufferPointer {
  /// True if one of the bytes is zero.
  ///
  /// The sixteen bytes after the last one must be readable.
  var hasZero: Bool {
    let text = bindMemory(to: UInt8.self)
    return ByteSearch(text).firstIndex(of: 0, from: 0) < text.count
  }
}
