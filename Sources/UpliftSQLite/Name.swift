/// The name of a table or a column; names are compared as SQLite compares them.
///
/// SQLite compares bytes. Only `A` to `Z` are equal to `a` to `z` (`sqlite3_stricmp`). Swift's
/// `String` compares differently: the two encodings of `ä` are equal, and so are `k` and the Kelvin
/// sign in lower case. Such a comparison mistakes one table for another. The bytes need not be
/// UTF-8.
package struct Name: Hashable, Sendable {
  /// The name as the schema spells it.
  package let bytes: [UInt8]
  /// The bytes that are compared: with `a` to `z` for `A` to `Z`.
  package let folded: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    folded = self.bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// A name from C, up to its zero byte.
  package init(_ text: UnsafePointer<CChar>) {
    var bytes: [UInt8] = []
    var next = text
    while next.pointee != 0 {
      bytes.append(UInt8(bitPattern: next.pointee))
      next += 1
    }
    self.init(bytes)
  }

  package static func == (left: Name, right: Name) -> Bool { left.folded == right.folded }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(folded)
  }

  /// The name in SQL: in double quotes, so that it may contain any character.
  ///
  /// The result is bytes and not a `String`, because a name need not be UTF-8.
  package var quoted: [UInt8] {
    var quoted = [UInt8(ascii: "\"")]
    for byte in bytes {
      quoted.append(byte)
      if byte == UInt8(ascii: "\"") { quoted.append(byte) }
    }
    quoted.append(UInt8(ascii: "\""))
    return quoted
  }

  /// The name in SQL, without quotes if it needs none.
  package var written: [UInt8] {
    func isLetter(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: "_") || (0x61...0x7a).contains(byte)
    }
    let isPlain =
      folded.first.map(isLetter) == true
      && folded.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
    return isPlain && !Engine.isKeyword(bytes) ? bytes : quoted
  }

  /// The name for a message, with U+FFFD for bytes that are not UTF-8.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  /// True if a virtual table of the other name may use a table of this name for its own data.
  package func isShadow(of other: Name) -> Bool {
    folded.count > other.folded.count && folded.starts(with: other.folded)
      && folded[other.folded.count] == UInt8(ascii: "_")
  }

  /// True for the names of SQLite's own tables.
  package var isInternal: Bool { folded.starts(with: Array("sqlite_".utf8)) }
}

extension Name: Comparable {
  /// Orders names by their bytes, so that messages do not depend on a hash.
  package static func < (left: Name, right: Name) -> Bool {
    left.folded.lexicographicallyPrecedes(right.folded)
  }
}
