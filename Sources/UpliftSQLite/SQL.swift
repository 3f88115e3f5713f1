internal import CUpliftSQLite

/// A statement as bytes, because names and statements from the schema need not be UTF-8.
///
/// An interpolated ``Name`` is quoted. Interpolated text is taken as it is.
///
/// ```swift
/// let sql: SQL = "DROP TABLE main.\(name)"
/// ```
package struct SQL: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// The statement for a message, with U+FFFD for bytes that are not UTF-8.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  package static func + (left: SQL, right: SQL) -> SQL { SQL(left.bytes + right.bytes) }

  /// A list with commas.
  package static func list(_ names: [Name], _ write: (Name) -> SQL) -> SQL {
    names.map(write).joined(separator: ", ")
  }

  /// Conditions that must all be true.
  package static func all<Part>(_ parts: [Part], _ write: (Part) -> SQL) -> SQL {
    parts.map(write).joined(separator: " AND ")
  }
}

extension [SQL] {
  package func joined(separator: String) -> SQL {
    SQL(map(\.bytes).joined(separator: separator.utf8))
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
    folded = self.bytes.map(\.folded)
  }

  package init(_ text: String) {
    self.init(text.utf8)
  }

  /// A name from C, up to its zero byte.
  package init(_ text: UnsafePointer<CChar>) {
    self.init([UInt8](cString: text))
  }

  package static func == (left: Name, right: Name) -> Bool { left.folded == right.folded }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(folded)
  }

  /// The name in SQL: in double quotes, so that it may contain any character.
  package var quoted: [UInt8] { bytes.enclosed(by: UInt8(ascii: "\"")) }

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

  /// True for the names of SQLite's own tables.
  package var isInternal: Bool { folded.starts(with: "sqlite_".utf8) }
}

extension Name: Comparable {
  /// Orders names by their bytes, so that messages do not depend on a hash.
  package static func < (left: Name, right: Name) -> Bool {
    left.folded.lexicographicallyPrecedes(right.folded)
  }
}

extension String {
  /// The name of a table or column in SQL; it may contain any character.
  package var asName: String { enclosed(by: "\"") }

  /// Text as a literal in SQL.
  package var asText: String { enclosed(by: "'") }

  private func enclosed(by quote: Unicode.Scalar) -> String {
    String(decoding: Array(utf8).enclosed(by: UInt8(ascii: quote)), as: UTF8.self)
  }

  /// The form in which SQLite compares names: `A` to `Z` become `a` to `z`, and nothing else
  /// changes.
  package var folded: String { String(decoding: utf8.map(\.folded), as: UTF8.self) }

  /// Text from C in the form in which SQLite compares names.
  init?(folding text: CString?) {
    guard let text else { return nil }
    self = String(cString: text).folded
  }
}

extension UInt8 {
  fileprivate var folded: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}

extension [UInt8] {
  /// The bytes of text from C, up to its zero byte.
  init(cString text: CString) {
    self.init()
    var next = text
    while next.pointee != 0 {
      append(UInt8(bitPattern: next.pointee))
      next += 1
    }
  }

  /// The bytes as text for C, with a zero byte at the end.
  var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }

  /// The bytes between quotes; a quote inside is written twice.
  fileprivate func enclosed(by quote: UInt8) -> [UInt8] {
    var bytes = [quote]
    for byte in self {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    return bytes + [quote]
  }
}

typealias CString = UnsafePointer<CChar>

/// True if SQLite takes the two for the same name.
func isSame(_ text: CString?, _ name: StaticString) -> Bool {
  // A `String` would be copied for C, and the authorizer asks this for each column.
  sqlite3_stricmp(text, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0
}
