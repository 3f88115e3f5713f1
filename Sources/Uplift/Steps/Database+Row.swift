extension Database {
  /// One row of a query; it may be kept.
  ///
  /// ```swift
  /// let name: String = try row["name"]
  /// let born: Int? = try row["born"]  // nil for NULL
  /// ```
  ///
  /// A column that is not there, or holds something else than what is asked for, is an error with
  /// the place of the access.
  public struct Row: Sendable {
    /// The names, as the statement gives them.
    public let columns: [String]
    /// The values, in the same order.
    public let values: [Value]
    let origin: Origin

    /// The value of the first column with this name, whatever the case of its letters.
    public subscript<Wanted: Storable>(
      _ column: String, file: String = #fileID, line: Int = #line
    ) -> Wanted {
      get throws(UpgradeError) {
        let place = SourcePlace(file: file, line: line)
        let name = column.lowercased()
        guard let index = columns.firstIndex(where: { $0.lowercased() == name }) else {
          throw origin.error(.noColumn(column), at: place)
        }
        guard let value = Wanted(databaseValue: values[index]) else {
          let wanted = "\(Wanted.self)"
          throw origin.error(
            .columnType(column, found: values[index].kind, wanted: wanted), at: place)
        }
        return value
      }
    }
  }

  /// Which step a row was read by, and how.
  struct Origin {
    let script: String
    let reached: Version
    let statement: String

    func error(_ problem: UpgradeError.CallProblem, at place: SourcePlace) -> UpgradeError {
      .failed(
        UpgradeError.Failure(
          script: script, source: place.file, line: place.line, column: 1, text: statement,
          reason: .call(problem), reached: reached))
    }
  }
}
