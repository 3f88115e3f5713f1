/// The name of a table or a column, compared as SQLite compares names.
///
/// SQLite compares the bytes and takes `A` to `Z` for `a` to `z`; all other bytes stand for
/// themselves (`sqlite3_stricmp`). Swift's `String` compares otherwise: `ä` in its two encodings is
/// one string, and a lower-case K is one with the Kelvin sign after folding. Such a comparison
/// mistakes one table for another. The bytes need not be UTF-8.
package struct Name: Hashable, Sendable {
  /// As it is spelled in the schema.
  package let bytes: [UInt8]
  /// What the comparison goes by.
  private let folded: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    folded = self.bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// A name as C hands it over, up to its zero byte.
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

  /// The name as SQL writes it, in double quotes, whatever is in it.
  ///
  /// These are bytes, not a `String`: only bytes give back a name that is not UTF-8.
  package var quoted: [UInt8] {
    var quoted = [UInt8(ascii: "\"")]
    for byte in bytes {
      quoted.append(byte)
      if byte == UInt8(ascii: "\"") { quoted.append(byte) }
    }
    quoted.append(UInt8(ascii: "\""))
    return quoted
  }

  /// The name for a message; bytes that are not UTF-8 are shown as U+FFFD.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  /// True for the name of a table that a virtual table of the other name may keep for itself.
  package func isShadow(of other: Name) -> Bool {
    folded.count > other.folded.count && folded.starts(with: other.folded)
      && folded[other.folded.count] == UInt8(ascii: "_")
  }

  /// True for the names that SQLite keeps for its own tables.
  package var isInternal: Bool { folded.starts(with: Array("sqlite_".utf8)) }
}

extension Name: Comparable {
  /// In the order of the bytes, so that messages do not depend on a hash.
  package static func < (left: Name, right: Name) -> Bool {
    left.folded.lexicographicallyPrecedes(right.folded)
  }
}
