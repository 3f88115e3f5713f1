internal import UpliftSQLite

extension Upgrader.Database {
  /// A value as SQLite stores it.
  ///
  /// Two values are equal if SQLite stores the same bytes: `é` written as one character and as two
  /// are two texts.
  public enum Value: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    /// Text that is not UTF-8, byte for byte: SQLite stores any bytes as text.
    ///
    /// It cannot be read as a `String`. Bound to a parameter, it is stored as it was.
    case rawText([UInt8])
    case blob([UInt8])

    init(_ value: UpliftSQLite.Value) {
      self =
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .rawText(let bytes): .rawText(bytes)
        case .blob(let bytes): .blob(bytes)
        }
    }

    var stored: UpliftSQLite.Value {
      switch self {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
      case .rawText(let bytes): .rawText(bytes)
      case .blob(let bytes): .blob(bytes)
      }
    }

    /// What SQLite calls it.
    var kind: String {
      switch self {
      case .null: "NULL"
      case .integer: "an integer"
      case .real: "a real number"
      case .text: "text"
      case .rawText: "text that is not UTF-8"
      case .blob: "a blob"
      }
    }
  }

  /// What can be bound to a parameter and read from a row.
  ///
  /// A program's own types can conform: a date as text, an identifier as a blob.
  public protocol Storable {
    /// Nil if the value is not one of this type; nothing is converted silently.
    init?(upliftValue: Value)
    var upliftValue: Value { get }
  }
}

extension Upgrader.Database.Value: Hashable {
  public static func == (left: Self, right: Self) -> Bool { left.stored == right.stored }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(stored)
  }
}

extension Upgrader.Database.Value: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self = upliftValue }
  public var upliftValue: Upgrader.Database.Value { self }
}
