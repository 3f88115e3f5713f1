internal import Uplift

/// A JSON value whose members keep their order.
package indirect enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(Int64)
  case seconds(Duration)
  case string(String)
  case array([JSON])
  case object([(name: String, value: JSON)])

  /// The value on one line.
  package var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += "\(value)"
    case .seconds(let value): text += value.seconds(decimals: 3)
    case .string(let value): Self.quote(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.quote(member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// Escapes as RFC 8259, section 7, wants it: quotes, backslashes and control characters.
  ///
  /// A Swift string is always Unicode. Invalid bytes were replaced when the text was read.
  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isWrittenAsNumber:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension Unicode.Scalar {
  /// True for control characters (JSON demands it), and for characters that disturb a terminal or
  /// old JavaScript.
  fileprivate var isWrittenAsNumber: Bool {
    value < 0x20 || (0x7f...0x9f).contains(value) || (0x2028...0x2029).contains(value)
  }
}

extension JSON {
  init(_ version: Version?) {
    self = version.map { .number(Int64($0.number)) } ?? .null
  }

  init(_ number: Int?) {
    self = number.map { .number(Int64($0)) } ?? .null
  }

  init(_ string: String?) {
    self = string.map { .string($0) } ?? .null
  }
}
