extension UpgradeError {
  /// The location and the reason of a script's failure, and the version that was reached.
  public struct Failure: Hashable, Sendable {
    /// The path of the script, or the name of a step that is not a file.
    ///
    /// The path is the directory as it was given, and the file's name.
    public let script: String
    /// The Swift file of the call that failed, as `#fileID` names it; nil for SQL.
    public let source: String?
    /// The line in the script or in the Swift file, from 1; nil if the script failed as a whole.
    public let line: Int?
    /// The column in that line, from 1; nil if the script failed as a whole.
    ///
    /// Each character counts as one column, and so does a tab. A call in Swift has column 1.
    public let column: Int?
    /// The line of the script, or the statement of a step in Swift; nil if the script failed as a
    /// whole.
    public let excerpt: Excerpt?
    /// The reason why it failed.
    public let reason: Reason
    /// The version of the database after the failure.
    public let reached: Version
    /// True for a script that reads the seed, if a statement of it failed.
    package let readsSeed: Bool

    /// A failure at a location.
    package init(
      script: String, source: String? = nil, line: Int, column: Int, excerpt: Excerpt,
      reason: Reason, reached: Version, readsSeed: Bool = false
    ) {
      self.readsSeed = readsSeed
      self.script = script
      self.source = source
      self.line = line
      self.column = column
      self.excerpt = excerpt
      self.reason = reason
      self.reached = reached
    }

    /// A failure at a location in a line that is shown whole.
    package init(
      script: String, source: String? = nil, line: Int, column: Int, text: String,
      reason: Reason, reached: Version
    ) {
      self.init(
        script: script, source: source, line: line, column: column,
        excerpt: Excerpt(text: text, caret: column), reason: reason, reached: reached)
    }

    /// A failure of the script as a whole, because no single statement is at fault.
    package init(script: String, reason: Reason, reached: Version) {
      self.script = script
      self.reason = reason
      self.reached = reached
      source = nil
      line = nil
      column = nil
      excerpt = nil
      readsSeed = false
    }
  }
}
