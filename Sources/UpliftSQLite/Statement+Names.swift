internal import CUpliftSQLite

extension Statement {
  package var parameterCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

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
