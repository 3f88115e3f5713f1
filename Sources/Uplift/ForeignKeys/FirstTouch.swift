internal import UpliftSQLite

/// Counts what is wrong with a table before a statement touches it for the first time: for steps
/// that cannot be undone and run again with the count.
struct FirstTouch {
  let references: References
  private(set) var baseline: Baseline
  private let checksAll: Bool
  private var counted: Set<String> = []

  init(_ connection: borrowing Connection, checksAll: Bool) throws(SQLiteError) {
    references = try References(connection)
    baseline = Baseline(references)
    self.checksAll = checksAll
  }

  /// Called between a statement's preparation, which tells the guard what it will touch, and its
  /// first step.
  mutating func note(_ connection: borrowing Connection) throws(SQLiteError) {
    let fresh = connection.scriptGuard.touches.tables.subtracting(counted)
    guard !fresh.isEmpty else { return }
    counted.formUnion(fresh)
    try count(checksAll ? references.all : references.touching(fresh), connection)
  }

  /// Counts everything, before somebody works unseen.
  mutating func noteAll(_ connection: borrowing Connection) throws(SQLiteError) {
    try count(references.all, connection)
  }

  private mutating func count(
    _ chosen: [Reference], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    var baseline = baseline
    try connection.scriptGuard.unwatched { () throws(SQLiteError) in
      try baseline.add(chosen, connection)
    }
    self.baseline = baseline
  }
}

extension Runner {
  /// Nil where no references are to be checked.
  func firstTouch(of script: Script) throws(Fault) -> FirstTouch? {
    guard options.foreignKeys != .none else { return nil }
    return try at(script) { () throws(SQLiteError) in
      try FirstTouch(connection, checksAll: options.foreignKeys == .all)
    }
  }

  /// Fails on orphans that were not there before the script.
  func check(_ script: Script, _ firstTouch: FirstTouch?) throws(Fault) {
    guard let firstTouch else { return }
    var references: References? = firstTouch.references
    try check(script, &references, firstTouch.baseline)
  }
}
