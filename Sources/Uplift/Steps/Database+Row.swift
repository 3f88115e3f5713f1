internal import UpliftSQLite

extension Upgrader.Database {
  /// One row of a query, which may be kept after the query.
  ///
  /// ```swift
  /// let name: String = try row["name"]
  /// let born: Int? = try row["born"]  // nil for NULL
  /// let value = try row["name"]  // a Value of any kind
  /// ```
  ///
  /// If there is no such column, or if its value is not of the type that is asked for, the error
  /// has the location of the access.
  public struct Row: Sendable {
    let names: [Name]
    /// The values, in the order of the columns.
    public let values: [Value]
    let origin: Origin

    /// The names of the columns, as the statement spells them.
    ///
    /// U+FFFD stands for bytes that are not UTF-8. Give such a column another name with `AS`.
    public var columns: [String] { names.map(\.shown) }

    /// The value of the first column with this name, as the type that the context asks for.
    ///
    /// Names are compared as SQLite compares them: byte for byte, but `A` to `Z` equal `a` to `z`.
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

    /// The value of the first column with this name as it is stored, if the context asks for no
    /// type.
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

  /// The step and the statement that read a row.
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
