/// The facts about an existing database that decide what an upgrade does.
struct DatabaseState: Hashable {
  let version: Version
  let applicationID: Int32
  let hasTables: Bool

  /// True if the database holds nothing: an empty file, or one in which SQLite made no table yet.
  var isEmpty: Bool { !hasTables && version == .zero }

  /// An empty file.
  static let empty = DatabaseState(version: .zero, applicationID: 0, hasTables: false)

  /// The same state, with the version written as the scripts write theirs, plain or dotted.
  func written(like version: Version) -> DatabaseState {
    DatabaseState(
      version: self.version.written(like: version), applicationID: applicationID,
      hasTables: hasTables)
  }
}
