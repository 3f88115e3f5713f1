internal import UpliftSQLite

/// Scripts with the `no-transaction` directive.
extension Runner {
  /// Runs a script in autocommit, and sets its version right after.
  ///
  /// What it did stays when it fails, or when the process stops before the version is set: such
  /// a script must be safe to run twice. It cannot be started over, and so it gets a connection
  /// that no other script has used.
  mutating func runAlone(_ script: Script, at index: Int) throws(UpgradeError) {
    if !connection.scriptGuard.isFresh { try reopen() }
    announce(script, at: index)
    let skipped: [Upgrade.Skipped]
    do {
      skipped = try runStatements(script)
    } catch {
      try rollback()
      throw error.error(at: file.shown, reached: reached)
    }
    try begin()
    // Another process may have run it at the same moment.
    guard try versionInside() == reached else { return try rollback() }
    do {
      try bump(to: script.migration.version, for: script)
    } catch {
      try rollback()
      throw error.error(at: file.shown, reached: reached)
    }
    progress.finished(script.migration.version)
    let step = progress.step(script.migration)
    try commit([Done(step: step, skipped: skipped)])
  }

  /// Nothing can be undone here, so orphans are counted before a statement touches their tables.
  private func runStatements(_ script: Script) throws(ScriptFault) -> [Upgrade.Skipped] {
    let foreignKeys = try at(script) { () throws(SQLiteError) in
      try newForeignKeys()
    }
    try begin(script, foreignKeys, canBeUndone: false)
    let skipped = try statements(of: script, .autocommit, foreignKeys).run(on: connection)
    try check(script, foreignKeys)
    return skipped
  }
}
