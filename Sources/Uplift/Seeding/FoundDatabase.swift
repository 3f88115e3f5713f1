package import UpliftSystem

/// A database that was found in a listing of its directory.
package struct FoundDatabase: Sendable {
  /// The path for messages.
  package let shown: String
  /// The absolute path.
  let path: Path
  /// The facts of the file, which is neither a link nor a directory.
  let facts: FileFacts
  /// False if the listing has no temporary file of this database, so that nobody must look for one.
  let mayHaveLeftovers: Bool

  package init(shown: String, path: Path, facts: FileFacts, mayHaveLeftovers: Bool) {
    self.shown = shown
    self.path = path
    self.facts = facts
    self.mayHaveLeftovers = mayHaveLeftovers
  }
}
