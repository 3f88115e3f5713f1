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

  /// RFC 8259, section 7: quotes, backslashes and everything below a blank are escaped.
  ///
  /// A Swift string is always Unicode: what was not got its replacement characters as it was read.
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
  /// True below a blank, where it has to be; and where a terminal or JavaScript would stumble.
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

  /// `kind`, `message`, `remedy`, `exit`; if a script is at fault `file`, `line` and `column`, null
  /// if it failed as a whole, then `text` and `caret`, `code` and `name` if they are known;
  /// `reached` if it is known.
  package init(_ complaint: Complaint) {
    var members: [(name: String, value: JSON)] = [
      ("kind", .string(complaint.kind)),
      ("message", .string(complaint.message)),
      ("remedy", .string(complaint.remedy)),
      ("exit", .number(Int64(complaint.exit.rawValue))),
    ]
    if let location = complaint.location {
      members += [
        ("file", .string(location.file)),
        ("line", JSON(location.line)),
        ("column", JSON(location.column)),
      ]
      if let excerpt = location.excerpt {
        members += [("text", .string(excerpt.text)), ("caret", JSON(excerpt.caret))]
      }
      if let code = location.code {
        members += [("code", .number(Int64(code.number))), ("name", .string(code.name))]
      }
    }
    if let reached = complaint.reached { members.append(("reached", JSON(reached))) }
    self = .object(members)
  }
}
