/// The facts of the error about a connection that could not be prepared.
extension UpgradeError {
  /// A connection that could not be prepared.
  public struct Preparation: Hashable, Sendable {
    /// The text of the error that ``Upgrader/Prepare`` has thrown, or SQLite's words.
    public let reason: String
    /// The path of the extension that the command should load; nil for a program's own code.
    public let extensionPath: String?
    /// The version of the database; nil if it was not read.
    public let reached: Version?
  }

  package static func preparation(
    _ reason: String, extensionPath: String? = nil, reached: Version? = nil
  ) -> UpgradeError {
    .preparation(Preparation(reason: reason, extensionPath: extensionPath, reached: reached))
  }

  /// The reason if SQLite was built without extensions.
  package static let noExtensions = "this SQLite was built without extensions"
}
