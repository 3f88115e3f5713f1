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
