internal import Uplift
internal import UpliftSQLite

/// Notes the schema after each step.
///
/// Only what a script has changed is read again, so that a history of a thousand scripts does not
/// take a thousand times as long as one script.
final class HistoryObserver: StepObserver {
  private(set) var schemas: [Version: DatabaseSchema] = [:]
  private var latest: (version: Version, schemaVersion: Int64?, schema: DatabaseSchema)
  private let readsAll: Bool

  /// Begins with the schema of the database from which the steps start.
  ///
  /// With `readsAll` the whole schema is read after each step.
  init(_ start: Version, _ schema: DatabaseSchema, readsAll: Bool) {
    schemas[start] = schema
    latest = (start, nil, schema)
    self.readsAll = readsAll
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    connection.scriptGuard.actions = ScriptActions()
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions
    connection.scriptGuard.actions = nil
    let version = script.migration.version
    // SQLite counts this number up with each change of the schema.
    let schemaVersion = try connection.integer("PRAGMA main.schema_version")
    // If a group cannot be committed, its scripts run again.
    if readsAll || version <= latest.version {
      latest.schema = try DatabaseSchema(connection)
    } else if schemaVersion != latest.schemaVersion {
      // To rename something changes other objects, too. What a step in Swift does is not known.
      if let actions, !script.mayMention("rename") {
        try latest.schema.update(actions.changedTables, connection)
      } else {
        latest.schema = try DatabaseSchema(connection)
      }
    }
    latest = (version, schemaVersion, latest.schema)
    schemas[version] = latest.schema
  }
}
