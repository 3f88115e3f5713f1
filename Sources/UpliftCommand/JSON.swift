package import Uplift

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
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let value): "\(value)"
    case .seconds(let value): value.seconds(decimals: 3)
    case .string(let value): Self.quoted(value)
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
    }
  }

  /// Escapes as RFC 8259, section 7, wants it: quotes, backslashes and control characters; and what
  /// disturbs a terminal.
  ///
  /// A Swift string is always Unicode. Invalid bytes were replaced when the text was read.
  private static func quoted(_ value: String) -> String {
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.isHarmful:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

/// A value that has a form in JSON.
package protocol JSONValue {
  var json: JSON { get }
}

extension JSON: JSONValue, ExpressibleByDictionaryLiteral {
  package var json: JSON { self }

  /// The object with one more member, if there is a value.
  func with(_ name: String, _ value: (any JSONValue)?) -> JSON {
    guard let value, case .object(let members) = self else { return self }
    return .object(members + [(name, value.json)])
  }

  package init(dictionaryLiteral members: (String, any JSONValue)...) {
    self = .object(members.map { ($0, $1.json) })
  }

  /// An object with the members of both.
  static func + (left: JSON, right: JSON) -> JSON {
    guard case .object(let first) = left, case .object(let second) = right else { return left }
    return .object(first + second)
  }
}

extension String: JSONValue { package var json: JSON { .string(self) } }
extension Bool: JSONValue { package var json: JSON { .bool(self) } }
extension Int: JSONValue { package var json: JSON { .number(Int64(self)) } }
extension Int32: JSONValue { package var json: JSON { .number(Int64(self)) } }
extension Int64: JSONValue { package var json: JSON { .number(self) } }
extension Duration: JSONValue { package var json: JSON { .seconds(self) } }
extension Version: JSONValue { package var json: JSON { .number(Int64(number)) } }

extension Array: JSONValue where Element: JSONValue {
  package var json: JSON { .array(map(\.json)) }
}

/// What is not known is null.
extension Optional: JSONValue where Wrapped: JSONValue {
  package var json: JSON { self?.json ?? .null }
}
