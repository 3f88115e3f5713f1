internal import Uplift
internal import UpliftSQLite

/// Looks at a database before and after each script of an upgrade.
final class CheckObserver: StepObserver {
  /// What was lost, and may be made again by a later script.
  private(set) var losses: [Rebuild.Loss] = []
  private var rebuild: Rebuild?
  private var broken: BrokenObjects?
  /// The scripts that have run.
  private(set) var ran: Set<Version> = []
  /// The script that runs, or ran last.
  private(set) var current: Script?

  /// Nil in an upgrade on the rows of the starting point.
  private(set) var rows: MadeUpRows?
  /// No rows are made up before the scripts up to this one.
  private let idleThrough: Version
  private let reduction: Reduction?
  /// The rows that its table had.
  private(set) var reduced: [TableRow] = []

  /// The rows to leave in a table before a script.
  struct Reduction {
    let version: Version
    let table: Name
    let rows: [TableRow]
  }

  /// The tables that were there before the first script.
  private(set) var tablesAtStart: Set<Name>?
  /// The tables that a script made under the name of one that it renamed, and that get their rows from
  /// that one later, with the version of the script.
  private(set) var remade: [Name: Version] = [:]
  /// The tables before a script that may rename some.
  private var tablesBefore: Set<Name> = []

  /// With `rows`, they are made up before the scripts above `idleThrough`.
  init(_ rows: MadeUpRows? = nil, idleThrough: Version = .zero, _ reduction: Reduction? = nil) {
    (self.rows, self.idleThrough, self.reduction) = (rows, idleThrough, reduction)
  }

  func willRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    current = script
    let version = script.migration.version
    if tablesAtStart == nil { tablesAtStart = Set(try connection.tables()) }
    if rows == nil, broken == nil { broken = try BrokenObjects(connection) }
    tablesBefore = script.mayMention("rename") ? Set(try connection.tables()) : []
    if version > idleThrough { try rows?.fill(before: script, connection) }
    if let reduction, reduction.version == version {
      reduced = try rows?.reduce(reduction.table, to: reduction.rows, connection) ?? []
    }
    rebuild = try Rebuild(before: script, madeUp: rows?.filled ?? [], connection)
    connection.scriptGuard.actions = ScriptActions()
  }

  func didRun(_ script: Script, on connection: borrowing Connection) throws(SQLiteError) {
    let actions = connection.scriptGuard.actions ?? ScriptActions()
    connection.scriptGuard.actions = nil
    ran.insert(script.migration.version)
    if actions.droppedTables.keys.allSatisfy(tablesBefore.contains) {
      for table in actions.madeTables.intersection(tablesBefore) {
        remade[table] = script.migration.version
      }
    }
    losses += try rebuild?.losses(after: script, actions, connection) ?? []
    try broken?.didRun(script, actions, connection)
  }

  /// What was lost and not made again, and what is broken after the last script.
  ///
  /// `start` is the place of what no script has made or changed.
  func end(
    _ scripts: [Script], _ connection: borrowing Connection, start: Finding.Place
  ) throws(SQLiteError) -> [Finding] {
    let objects = try connection.objects()
    let lost = losses.filter { $0.object.map { !objects.contains($0) } ?? true }.map(\.finding)
    return lost + (try broken?.atEnd(scripts, connection, start: start) ?? [])
  }
}
