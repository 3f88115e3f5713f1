package import UpliftSQLite

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
