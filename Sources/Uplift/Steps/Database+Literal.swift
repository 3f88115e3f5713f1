internal import UpliftSQLite

extension Upgrader.Database.Value {
  /// The value as a literal in SQL.
  ///
  /// Infinity is written as the sqlite3 shell writes it.
  var asLiteral: String {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return "\(number)"
    case .real(let number) where number.isNaN: return "NULL"
    case .real(let number) where number.isInfinite: return number < 0 ? "-9e999" : "9e999"
    case .real(let number): return "\(number)"
    case .text(let text): return text.asText
    case .rawText(let bytes): return "(CAST(\(Self.blob(bytes)) AS TEXT))"
    case .blob(let bytes): return Self.blob(bytes)
    }
  }

  private static func blob(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF")
    let pairs = bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "X'\(pairs.joined())'"
  }
}
