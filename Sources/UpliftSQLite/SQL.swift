/// A statement as bytes: names from the schema, and the schema's own text, need not be UTF-8.
///
/// A name that is put in is quoted. Text that is put in is taken as it is.
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

  /// The statement for a message; bytes that are not UTF-8 are shown as U+FFFD.
  package var shown: String { String(decoding: bytes, as: UTF8.self) }

  package static func + (left: SQL, right: SQL) -> SQL { SQL(left.bytes + right.bytes) }
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

    /// In double quotes, whatever is in it.
    package mutating func appendInterpolation(_ name: Name) { bytes += name.quoted }

    package mutating func appendInterpolation(_ sql: SQL) { bytes += sql.bytes }

    package mutating func appendInterpolation(_ sql: String) { bytes += sql.utf8 }

    package mutating func appendInterpolation(_ number: Int) { bytes += "\(number)".utf8 }
  }

  package init(stringLiteral text: String) { self.init(text) }

  package init(stringInterpolation: StringInterpolation) { self.init(stringInterpolation.bytes) }
}
