internal import UpliftSQLite

extension Upgrader.Database {
  /// One row of a query; it may be kept.
  ///
  /// ```swift
  /// let name: String = try row["name"]
  /// let born: Int? = try row["born"]  // nil for NULL
  /// let value = try row["name"]  // a Value, whatever it holds
  /// ```
  ///
  /// A column that is not there, or holds something else than what is asked for, is an error with
  /// the place of the access.
  public struct Row: Sendable {
    let names: [Name]
    /// The values, in the same order.
    public let values: [Value]
    let origin: Origin

    /// The names, as the statement gives them.
    ///
    /// Bytes that are not UTF-8 are shown as U+FFFD; give such a column another name with `AS`.
    public var columns: [String] { names.map(\.shown) }

    /// The value of the first column with this name.
    ///
    /// Names are compared as SQLite compares them: byte for byte, and `A` to `Z` are `a` to `z`.
    public subscript<Wanted: Storable>(
      _ column: String, file: String = #fileID, line: Int = #line
    ) -> Wanted {
      get throws(UpgradeError) {
        let location = SourceLocation(file: file, line: line)
        let value = try value(of: column, at: location)
        if let wanted = Wanted(upliftValue: value) { return wanted }
        if case .rawText = value { throw origin.error(.notUTF8(column), at: location) }
        throw origin.error(
          .columnType(column, found: value.kind, wanted: "\(Wanted.self)"), at: location)
      }
    }

    /// The same as it is stored, if the context does not say which type is wanted.
    @_disfavoredOverload
    public subscript(
      _ column: String, file: String = #fileID, line: Int = #line
    ) -> Value {
      get throws(UpgradeError) {
        try value(of: column, at: SourceLocation(file: file, line: line))
      }
    }

    private func value(of column: String, at location: SourceLocation) throws(UpgradeError) -> Value
    {
      let name = Name(column)
      guard let index = names.firstIndex(of: name) else {
        throw origin.error(.noColumn(column), at: location)
      }
      return values[index]
    }
  }

  /// Which step read a row, and with which statement.
  struct Origin {
    let script: String
    let reached: Version
    let statement: String

    func error(_ problem: UpgradeError.CallProblem, at location: SourceLocation) -> UpgradeError {
      .failed(
        UpgradeError.Failure(
          script: script, source: location.file, line: location.line, column: 1, text: statement,
          reason: .call(problem), reached: reached))
    }
  }
}
