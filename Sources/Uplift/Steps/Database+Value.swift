package import UpliftSQLite

extension Upgrader.Database {
  /// A value as SQLite stores it.
  ///
  /// Two values are equal if SQLite stores the same bytes. So two texts differ if one has `é` as
  /// one character and the other as two.
  public enum Value: Sendable {
    /// `NULL`.
    case null
    /// A number of 64 bits.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Text that is UTF-8.
    ///
    /// SQLite converts the text of a UTF-16 database to UTF-8. There is no UTF-8 for half a
    /// surrogate pair, so SQLite reads it as another character.
    case text(String)
    /// Text that is not UTF-8, byte for byte, because SQLite stores any bytes as text.
    ///
    /// It cannot be read as a `String`. If it is bound to a parameter, its bytes are stored
    /// unchanged.
    case rawText([UInt8])
    /// Bytes that are not text.
    case blob([UInt8])

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
  }
}

extension Upgrader.Database.Value: Hashable {
  /// Compares text by its bytes, as SQLite does.
  public static func == (left: Self, right: Self) -> Bool {
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

  /// Hashes what `==` compares.
  ///
  /// The kinds make lists of values differ that have the same bytes in a row.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch self {
    case .null: break
    case .integer(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number)
    case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .rawText(let bytes), .blob(let bytes): hasher.combine(bytes)
    }
  }
}

/// Values in the parameters of a statement and in the columns of a row.
extension Statement {
  /// Binds a value to a parameter.
  package borrowing func bind(
    _ value: Upgrader.Database.Value, at index: Int
  ) throws(SQLiteError) {
    switch value {
    case .null: try bindNull(at: index)
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .rawText(let bytes): try bind(text: bytes, at: index)
    case .blob(let bytes): try bind(blob: bytes, at: index)
    }
  }

  /// The value in a column of the current row.
  ///
  /// No byte is replaced by another, but SQLite converts the text of a UTF-16 database.
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
