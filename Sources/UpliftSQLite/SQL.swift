/// A statement as bytes, because names and statements from the schema need not be UTF-8.
///
/// An interpolated ``Name`` is quoted. Interpolated text is taken as it is.
///
/// ```swift
/// let sql: SQL = "DROP TABLE main.\(name)"
/// ```
package struct SQL: Hashable, Sendable {
  package private(set) var bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// The statement for a message, with U+FFFD for bytes that are not UTF-8.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  package static func + (left: SQL, right: SQL) -> SQL { SQL(left.bytes + right.bytes) }
}

extension [SQL] {
  package func joined(separator: String) -> SQL {
    SQL(map(\.bytes).joined(separator: separator.utf8))
  }
}

extension SQL {
  /// A list with commas.
  package static func list(_ names: [Name], _ write: (Name) -> SQL) -> SQL {
    names.map(write).joined(separator: ", ")
  }

  /// Conditions that must all be true.
  package static func all<Part>(_ parts: [Part], _ write: (Part) -> SQL) -> SQL {
    parts.map(write).joined(separator: " AND ")
  }
}

extension SQL: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { bytes += text.utf8 }

    /// Appends a name in double quotes; the name may contain any character.
    package mutating func appendInterpolation(_ name: Name) { bytes += name.quoted }

    package mutating func appendInterpolation(_ sql: SQL) { bytes += sql.bytes }

    package mutating func appendInterpolation(_ sql: String) { bytes += sql.utf8 }

    package mutating func appendInterpolation(_ number: Int) { bytes += "\(number)".utf8 }
  }

  package init(stringLiteral text: String) { self.init(text) }

  package init(stringInterpolation: StringInterpolation) { self.init(stringInterpolation.bytes) }
}

extension String {
  /// The name of a table or column in SQL; it may contain any character.
  package var asName: String { enclosed(by: UInt8(ascii: "\"")) }

  /// Text as a literal in SQL.
  package var asText: String { enclosed(by: UInt8(ascii: "'")) }

  /// The string between quotes.
  ///
  /// A quote inside is written twice.
  private func enclosed(by quote: UInt8) -> String {
    var bytes = [quote]
    bytes.reserveCapacity(utf8.count + 2)
    for byte in utf8 {
      bytes.append(byte)
      if byte == quote { bytes.append(quote) }
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
  }
}

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

extension String {
  /// The form in which SQLite compares names: `A` to `Z` become `a` to `z`, and nothing else
  /// changes.
  package var folded: String {
    func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    // Most names are in lower case already.
    guard utf8.contains(where: isUpper) else { return self }
    return String(decoding: utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
