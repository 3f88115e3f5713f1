public import Testing
public import Uplift

extension UpgradeError {
  /// True for an error of this kind whose description contains these words, and whose place begins
  /// at this line and column, if they are given.
  public func says(
    _ kind: Kind, _ words: String, line: Int? = nil, column: Int? = nil
  ) -> Bool {
    self.kind == kind && description.contains(words)
      && (line == nil || place?.line == line) && (column == nil || place?.column == column)
  }
}

/// Expects that some work fails with an error of this kind, whose description contains these words.
@discardableResult
public func expectError(
  _ kind: UpgradeError.Kind, _ words: String, line: Int? = nil, column: Int? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, _ work: () throws -> Void
) -> UpgradeError? {
  let error = #expect(throws: UpgradeError.self, sourceLocation: sourceLocation) { try work() }
  if let error {
    #expect(
      error.says(kind, words, line: line, column: column),
      "\(error.kind): \(error)", sourceLocation: sourceLocation)
  }
  return error
}
