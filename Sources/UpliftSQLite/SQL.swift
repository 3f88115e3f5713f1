/// A statement of our own, put together as bytes: a name in the schema need not be UTF-8.
///
/// ```swift
/// let sql: SQL = "SELECT \(column) FROM main.\(table)"
/// ```
///
/// A `Name` goes in quoted, a `String` and a number as they are.
package struct SQL: ExpressibleByStringInterpolation {
  package private(set) var bytes: [UInt8]

  package init(stringLiteral text: String) {
    bytes = Array(text.utf8)
  }

  package init(stringInterpolation parts: Parts) {
    bytes = parts.bytes
  }

  package struct Parts: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    package mutating func appendLiteral(_ text: String) { bytes += text.utf8 }
    package mutating func appendInterpolation(_ name: Name) { bytes += name.quoted }
    package mutating func appendInterpolation(_ text: String) { bytes += text.utf8 }
    package mutating func appendInterpolation(_ number: Int) { bytes += "\(number)".utf8 }
    package mutating func appendInterpolation(_ sql: SQL) { bytes += sql.bytes }
  }
}

extension [SQL] {
  /// The parts, with a text between each two.
  package func joined(by separator: String) -> SQL {
    var all: SQL = ""
    for (index, part) in enumerated() {
      all = index == 0 ? part : "\(all)\(separator)\(part)"
    }
    return all
  }
}
