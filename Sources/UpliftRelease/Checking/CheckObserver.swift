internal import Uplift
internal import UpliftSQLite

/// Looks at a database before and after each script of an upgrade.
final class CheckObserver: StepObserver {
  /// What was lost, and may be made again by a later script.
  private(set) var losses: [Rebuild.Loss] = []
  private var before: Snapshot?
  private var broken: BrokenObjects?
  /// The scripts that have run.
  private(set) var ran: Set<Version> = []
  /// The script that runs, or ran last.
  private(set) var current: Script?

  /// Nil in an upgrade on the rows of the starting point.
  private(set) var rows: MadeUpRows?
  /// No rows are made up before the scripts up to this one.
  private let idleThrough: Version
  /// The tables that were there before the first script.
  private(set) var tablesAtStart: Set<Name>?

  /// With `rows`, they are made up before the scripts above `idleThrough`.
  init(_ rows: MadeUpRows? = nil, idleThrough: Version = .zero) {
    (self.rows, self.idleThrough) = (rows, idleThrough)
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    current = script
    let version = script.migration.version
    if tablesAtStart == nil { tablesAtStart = Set(try connection.tables()) }
    if rows == nil, broken == nil { broken = try BrokenObjects(connection) }
    if version > idleThrough { try rows?.fill(before: script, connection) }
    before = script.mayMention("drop") ? try Snapshot(for: script, connection) : nil
    connection.scriptGuard.actions = ScriptActions()
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions ?? ScriptActions()
    connection.scriptGuard.actions = nil
    ran.insert(script.migration.version)
    if let before {
      losses +=
        Rebuild(
          by: script, before, try Snapshot(for: script, connection), actions,
          madeUp: rows.map { Set($0.filled.keys) } ?? []
        ).losses
    }
    if script.runsAlone, script.mayMention("vacuum") {
      for table in try connection.tables() {
        let index = try connection.indexes(of: table).first
        guard index == nil, try connection.primaryKey(of: table).isEmpty else { continue }
        let words = "VACUUM gives new row identifiers to \(table.shown), without a key or an index"
        let remedy = "give it a key or an index: a full-text index over its rows no longer fits"
        let finding = Finding(.rowsRenumbered, in: script, words, fix: remedy)
        losses.append(Rebuild.Loss(object: nil, finding: finding))
      }
    }
    try broken?.didRun(script, actions, connection)
  }

  /// What was lost and not made again, and what is broken after the last script.
  ///
  /// `start` is the place of what no script has made or changed.
  func end(
    _ schema: DatabaseSchema, _ connection: borrowing Connection, start: Finding.Place
  ) throws(SQLiteError) -> [Finding] {
    let objects = Set(schema.objects.keys.map(\.name))
    let lost = losses.filter { $0.object.map { !objects.contains($0) } ?? true }.map(\.finding)
    return lost + (try broken?.atEnd(connection, start: start) ?? [])
  }
}
