internal import UpliftSQLite

extension Database {
  /// A value as SQLite stores it.
  public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// Bytes that are not UTF-8 are read as U+FFFD; `CAST(… AS BLOB)` shows them.
    case text(String)
    case blob([UInt8])

    init(_ value: UpliftSQLite.Value) {
      self =
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        }
    }

    var stored: UpliftSQLite.Value {
      switch self {
      case .null: .null
      case .integer(let number): .integer(number)
      case .real(let number): .real(number)
      case .text(let text): .text(text)
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
      case .blob: "a blob"
      }
    }
  }

  /// What can be bound to a parameter and read from a row.
  ///
  /// A program's own types join in: a date as text, an identifier as a blob.
  public protocol Storable {
    /// Nil where the value is not one of this type; nothing is converted silently.
    init?(databaseValue: Value)
    var databaseValue: Value { get }
  }
}

extension Database.Value: Database.Storable {
  public init?(databaseValue: Database.Value) { self = databaseValue }
  public var databaseValue: Database.Value { self }
}

extension Int64: Database.Storable {
  public init?(databaseValue: Database.Value) {
    guard case .integer(let number) = databaseValue else { return nil }
    self = number
  }

  public var databaseValue: Database.Value { .integer(self) }
}

extension Int: Database.Storable {
  public init?(databaseValue: Database.Value) {
    guard case .integer(let number) = databaseValue else { return nil }
    self.init(exactly: number)
  }

  public var databaseValue: Database.Value { .integer(Int64(self)) }
}

extension Bool: Database.Storable {
  /// 0 or 1; any other number is no truth value.
  public init?(databaseValue: Database.Value) {
    switch databaseValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }

  public var databaseValue: Database.Value { .integer(self ? 1 : 0) }
}

extension Double: Database.Storable {
  /// An integer too, where it is exact: SQLite keeps 2.0 as 2 in some columns.
  public init?(databaseValue: Database.Value) {
    switch databaseValue {
    case .real(let number): self = number
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }

  public var databaseValue: Database.Value { .real(self) }
}

extension String: Database.Storable {
  public init?(databaseValue: Database.Value) {
    guard case .text(let text) = databaseValue else { return nil }
    self = text
  }

  public var databaseValue: Database.Value { .text(self) }
}

/// A blob.
extension [UInt8]: Database.Storable {
  public init?(databaseValue: Database.Value) {
    guard case .blob(let bytes) = databaseValue else { return nil }
    self = bytes
  }

  public var databaseValue: Database.Value { .blob(self) }
}

/// What may be `NULL`.
extension Optional: Database.Storable where Wrapped: Database.Storable {
  public init?(databaseValue: Database.Value) {
    if databaseValue == .null {
      self.init(nilLiteral: ())
    } else {
      guard let value = Wrapped(databaseValue: databaseValue) else { return nil }
      self.init(value)
    }
  }

  public var databaseValue: Database.Value { self?.databaseValue ?? .null }
}
