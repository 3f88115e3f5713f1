internal import CUpliftSQLite

extension Statement {
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// The first parameter as it is written, `?1` or `:name`; nil if there is none.
  package var firstParameter: String? {
    guard parameterCount > 0 else { return nil }
    for index in 1...parameterCount {
      if let name = sqlite3_bind_parameter_name(handle, Int32(index)) {
        return String(cString: name)
      }
    }
    return "?"
  }

  /// Without its first sign; empty if it has only a place, which counts from 1.
  ///
  /// The text of the statement was a `String`, so this is UTF-8.
  package borrowing func name(ofParameter index: Int) -> String {
    sqlite3_bind_parameter_name(handle, Int32(index)).map { String(cString: $0 + 1) } ?? ""
  }

  /// As the statement names it.
  package borrowing func name(ofColumn index: Int) -> Name {
    sqlite3_column_name(handle, Int32(index)).map { Name($0) } ?? Name("")
  }
}
