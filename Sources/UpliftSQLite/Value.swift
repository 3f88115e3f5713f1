/// A value as SQLite stores it.
package enum Value: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  /// Text that is not UTF-8, byte for byte; SQLite stores it and asks no questions.
  case rawText([UInt8])
  case blob([UInt8])
}

extension Value {
  /// Text from its bytes; no byte is replaced by another.
  init(text bytes: some Collection<UInt8>) {
    self = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .rawText(Array(bytes))
  }
}

extension Value: Hashable {
  /// Text is compared by its bytes, as SQLite compares it.
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
    case (.rawText(let left), .rawText(let right)): left == right
    case (.blob(let left), .blob(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: break
    case .integer(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number)
    case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .rawText(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }
}
