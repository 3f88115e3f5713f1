extension Upgrader.Database {
  /// A type whose values can be bound to a parameter and read from a row.
  ///
  /// A program's own types can conform, for example a date that is stored as text, or an identifier
  /// that is stored as a blob.
  public protocol Storable {
    /// Reads a value; nil if it is not one of this type. Nothing is converted silently.
    init?(upliftValue: Value)
    /// The value to store.
    var upliftValue: Value { get }
  }
}

extension Upgrader.Database.Value: Upgrader.Database.Storable {
  /// Takes any value as it is.
  public init?(upliftValue: Upgrader.Database.Value) { self = upliftValue }

  /// The value itself.
  public var upliftValue: Upgrader.Database.Value { self }
}

/// The types of the standard library, apart from integers, that can be stored.

extension Bool: Upgrader.Database.Storable {
  /// Reads 0 and 1; any other number is not a truth value.
  public init?(upliftValue: Upgrader.Database.Value) {
    switch upliftValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }

  /// 1 for true, 0 for false.
  public var upliftValue: Upgrader.Database.Value { .integer(self ? 1 : 0) }
}

extension Double: Upgrader.Database.Storable {
  /// Reads real numbers, and integers if they are exact: SQLite stores 2.0 as 2 in some columns.
  public init?(upliftValue: Upgrader.Database.Value) {
    switch upliftValue {
    case .real(let number): self = number
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }

  /// A real number.
  public var upliftValue: Upgrader.Database.Value { .real(self) }
}

extension Float: Upgrader.Database.Storable {
  /// Rounds a real number to the nearest `Float`.
  ///
  /// Reads an integer only if it is exact.
  public init?(upliftValue: Upgrader.Database.Value) {
    switch upliftValue {
    case .real(let number):
      self.init(number)
      // A number that is too large for a `Float` becomes infinite.
      guard isFinite || !number.isFinite else { return nil }
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }

  /// A real number.
  public var upliftValue: Upgrader.Database.Value { .real(Double(self)) }
}

extension String: Upgrader.Database.Storable {
  /// Reads text that is UTF-8.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .text(let text) = upliftValue else { return nil }
    self = text
  }

  /// Text.
  public var upliftValue: Upgrader.Database.Value { .text(self) }
}

extension Substring: Upgrader.Database.Storable {
  /// Reads text that is UTF-8.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .text(let text) = upliftValue else { return nil }
    self.init(text)
  }

  /// Text.
  public var upliftValue: Upgrader.Database.Value { .text(String(self)) }
}

/// Bytes are stored as a blob.
extension [UInt8]: Upgrader.Database.Storable {
  /// Reads a blob.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .blob(let bytes) = upliftValue else { return nil }
    self = bytes
  }

  /// A blob.
  public var upliftValue: Upgrader.Database.Value { .blob(self) }
}

/// Nil is stored as `NULL`.
extension Optional: Upgrader.Database.Storable where Wrapped: Upgrader.Database.Storable {
  /// Reads `NULL` as nil, and any other value as one of the wrapped type.
  public init?(upliftValue: Upgrader.Database.Value) {
    if upliftValue == .null {
      self.init(nilLiteral: ())
    } else {
      guard let value = Wrapped(upliftValue: upliftValue) else { return nil }
      self.init(value)
    }
  }

  /// `NULL` for nil.
  public var upliftValue: Upgrader.Database.Value { self?.upliftValue ?? .null }
}

/// The types of integers that always fit into SQLite's 64 bits.
///
/// A stored number that does not fit into a type is not read as this type.

extension FixedWidthInteger {
  fileprivate init?(exactly value: Upgrader.Database.Value) {
    guard case .integer(let number) = value else { return nil }
    self.init(exactly: number)
  }
}

extension Int: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int8: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int16: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int32: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int64: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(self) }
}

extension UInt8: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension UInt16: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension UInt32: Upgrader.Database.Storable {
  public init?(upliftValue: Upgrader.Database.Value) { self.init(exactly: upliftValue) }
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}
