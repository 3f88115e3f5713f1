internal import UpliftSQLite

/// Scripts with the `no-transaction` directive.
extension Runner {
  /// Runs a script in autocommit, and sets its version right after.
  ///
  /// What it did stays when it fails, or when the process stops before the version is set: such
  /// a script must be safe to run twice.
  mutating func runAlone(_ script: Script, after reached: Version) throws(UpgradeError) {
    announce(script)
    do {
      try runStatements(script)
    } catch {
      try rollback()
      throw error.error(at: place.shown, reached: reached)
    }
    try begin()
    // Another process may have run it at the same moment.
    guard try versionInside() == reached else { return try rollback() }
    do {
      try bump(to: script.migration.version, for: script)
    } catch {
      try rollback()
      throw error.error(at: place.shown, reached: reached)
    }
    progress.finished(script.migration.version)
    try commit([Upgrade.Step(version: script.migration.version, name: script.migration.name)])
    try reopen()
  }

  /// Nothing can be undone here, so what is wrong with a table is counted before it is touched.
  private func runStatements(_ script: Script) throws(Fault) {
    var references: References? = try at(script) { () throws(SQLiteError) in
      options.foreignKeys == .none ? nil : try References(connection)
    }
    var baseline = try at(script) { () throws(SQLiteError) in try Baseline(connection) }
    var counted: Set<String> = []
    let before = references
    let run = ScriptRun(
      script: script, rules: .autocommit, watch: watch, progress: progress.bytes)
    try run.run(on: connection) { () throws(SQLiteError) in
      guard let before else { return }
      let fresh = connection.scriptGuard.touched.subtracting(counted)
      guard !fresh.isEmpty else { return }
      counted.formUnion(fresh)
      try connection.scriptGuard.unwatched { () throws(SQLiteError) in
        try baseline.add(chosen(before, touching: fresh), connection)
      }
    }
    try check(script, &references, baseline)
  }
}
