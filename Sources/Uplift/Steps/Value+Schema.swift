internal import UpliftSQLite

/// Names and statements of the schema as values. Their bytes need not be UTF-8.
extension Upgrader.Database.Value {
  init(_ name: Name) { self = .rawText(name.bytes) }

  /// The bytes of text; nil for other values.
  var bytes: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .rawText(let bytes): bytes
    default: nil
    }
  }

  var name: Name? { bytes.map { Name($0) } }
  var sql: SQL? { bytes.map { SQL($0) } }
}
