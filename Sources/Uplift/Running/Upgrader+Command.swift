internal import UpliftSQLite

/// For the command alone.
extension Upgrader {
  /// Turns off SQLite's memory statistics, which belong to the whole process.
  ///
  /// Call this only if nothing else in the process uses SQLite, and before the first upgrade.
  package static func forgoMemoryStatistics() {
    Engine.forgoMemoryStatistics()
  }

  /// The version of SQLite that does the work.
  package static var sqliteVersion: String { Engine.version }

  /// The facts about the database alone, for use if the scripts or the seed cannot be read.
  ///
  /// Nil if these facts cannot be read either.
  package func glance() -> (exists: Bool?, version: Version?) {
    do {
      let found = try Inspection(self).state()
      return (found != nil, found?.version)
    } catch {
      return (nil, nil)
    }
  }
}
