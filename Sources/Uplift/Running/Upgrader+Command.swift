internal import UpliftSQLite
internal import UpliftSystem

/// For the command alone.
extension Upgrader {
  /// For a program that does nothing but upgrade, before its first upgrade.
  package static func haveProcessToItself() {
    Engine.forgoStatistics()
    System.keepMemory()
  }

  /// The version of SQLite that does the work.
  package static var sqliteVersion: String { Engine.version }

  /// The facts about the database alone, if the scripts or the seed cannot be read; nil if nobody
  /// knows them.
  package func glance() -> (exists: Bool?, version: Version?) {
    do {
      let found = try Inspection(self).state()
      return (found != nil, found?.version)
    } catch {
      return (nil, nil)
    }
  }
}
