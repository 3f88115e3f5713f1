package import UpliftSQLite

extension Upgrader.Database {
  /// A value as SQLite stores it.
  ///
  /// Two texts are equal if SQLite stores the same bytes, so one `é` may differ from another.
  public enum Value: Sendable {
    /// `NULL`.
    case null
    /// A number of 64 bits.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text that is UTF-8.
    ///
    /// SQLite converts the text of a UTF-16 database to UTF-8, and reads half a surrogate pair, for
    /// which there is no UTF-8, as another character.
    case text(String)
    /// Text that is not UTF-8, byte for byte, because SQLite stores any bytes as text.
    ///
    /// It cannot be read as a `String`; bound to a parameter, its bytes are stored unchanged.
    case rawText([UInt8])
    /// Bytes that are not text.
    case blob([UInt8])
  }

  /// A type whose values can be bound to a parameter and read from a row.
  ///
  /// A program's own types can conform, for example a date that is stored as text.
  public protocol Storable {
    /// Reads a value; nil if it is not one of this type. Nothing is converted silently.
    init?(upliftValue: Value)
    /// The value to store.
    var upliftValue: Value { get }
  }
}

extension Upgrader.Database.Value: Hashable {
  /// Compares text by its bytes, as SQLite does.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left == right
    default: left.kind == right.kind && left.bytes == right.bytes
    }
  }

  /// Hashes what `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .integer(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number)
    default: hasher.combine(bytes)
    }
  }

  /// The bytes of a text or a blob; none for other values.
  private var bytes: [UInt8] {
    switch self {
    case .text(let text): Array(text.utf8)
    case .rawText(let bytes), .blob(let bytes): bytes
    default: []
    }
  }

  /// The kind of the value, for a message.
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

  /// The value as a literal in SQL; infinity is written as the sqlite3 shell writes it.
  var asLiteral: String {
    switch self {
    case .null: return "NULL"
    case .integer(let number): return "\(number)"
    case .real(let number) where number.isNaN: return "NULL"
    case .real(let number) where number.isInfinite: return number < 0 ? "-9e999" : "9e999"
    case .real(let number): return "\(number)"
    case .text(let text): return text.asText
    case .rawText(let bytes): return "(CAST(\(Self.blob(bytes).asLiteral) AS TEXT))"
    case .blob(let bytes):
      let digits = bytes.flatMap { [$0 >> 4, $0 & 15] }
      return "X'\(digits.map { String($0, radix: 16, uppercase: true) }.joined())'"
    }
  }
}

extension Statement {
  package borrowing func bind(_ value: Upgrader.Database.Value, at index: Int) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .rawText(let bytes): try bind(text: bytes, at: index)
    case .blob(let bytes): try bind(blob: bytes, at: index)
    }
  }

  /// The value in a column of the current row, with the bytes that SQLite gives.
  package borrowing func value(_ column: Int) -> Upgrader.Database.Value {
    switch storageClass(column) {
    case .null: .null
    case .integer: .integer(integer(column))
    case .real: .real(real(column))
    case .text:
      withText(column) { bytes in
        String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .rawText(Array(bytes))
      }
    case .blob: .blob(blob(column))
    }
  }
}

extension Upgrader.Database.Value: Upgrader.Database.Storable {
  /// Takes any value as it is.
  public init?(upliftValue: Upgrader.Database.Value) { self = upliftValue }

  /// The value itself.
  public var upliftValue: Upgrader.Database.Value { self }
}

extension Bool: Upgrader.Database.Storable {
  /// Reads 0 and 1; any other number is not a truth value.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .integer(let number) = upliftValue, 0...1 ~= number else { return nil }
    self = number == 1
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

extension String: Upgrader.Database.Storable {
  /// Reads text that is UTF-8.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .text(let text) = upliftValue else { return nil }
    self = text
  }

  /// Text.
  public var upliftValue: Upgrader.Database.Value { .text(self) }
}

extension [UInt8]: Upgrader.Database.Storable {
  /// Reads a blob.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .blob(let bytes) = upliftValue else { return nil }
    self = bytes
  }

  /// A blob.
  public var upliftValue: Upgrader.Database.Value { .blob(self) }
}

extension Optional: Upgrader.Database.Storable where Wrapped: Upgrader.Database.Storable {
  /// Reads `NULL` as nil, and any other value as one of the wrapped type.
  public init?(upliftValue: Upgrader.Database.Value) {
    if case .null = upliftValue {
      self = .none
    } else {
      guard let value = Wrapped(upliftValue: upliftValue) else { return nil }
      self = value
    }
  }

  /// `NULL` for nil.
  public var upliftValue: Upgrader.Database.Value { self?.upliftValue ?? .null }
}

extension Int: Upgrader.Database.Storable {
  /// Reads an integer.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard let number = Int64(upliftValue: upliftValue) else { return nil }
    self.init(exactly: number)
  }

  /// An integer.
  public var upliftValue: Upgrader.Database.Value { .integer(Int64(self)) }
}

extension Int64: Upgrader.Database.Storable {
  /// Reads an integer.
  public init?(upliftValue: Upgrader.Database.Value) {
    guard case .integer(let number) = upliftValue else { return nil }
    self = number
  }

  /// An integer.
  public var upliftValue: Upgrader.Database.Value { .integer(self) }
}
