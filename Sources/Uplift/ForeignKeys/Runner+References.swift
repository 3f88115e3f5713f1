internal import UpliftSQLite

/// Foreign keys are off while a script runs; what it touched is checked behind it.
extension Runner {
  /// The references there are before a group of scripts; nil where none are to be checked.
  ///
  /// Those that the group before has left, where nothing has changed the schema since: of thousands
  /// of tables, reading them costs as much as a group of scripts.
  mutating func referencesNow() throws(UpgradeError) -> References? {
    guard options.foreignKeys != .none else { return nil }
    do {
      if let known = known.take(), try known.schema == connection.schemaVersion() {
        return known.references
      }
      return try References(connection)
    } catch {
      try rollback()
      throw translated(error)
    }
  }

  /// Keeps the references for the next group, before the commit lets others in.
  mutating func keepReferences(_ references: consuming References?) throws(UpgradeError) {
    guard let references else { return }
    do {
      known = (references, try connection.schemaVersion())
    } catch {
      // They can be read again, unless the transaction has gone with the error.
      guard connection.isInTransaction else { throw translated(error) }
    }
  }

  /// What was wrong before a script that is known to leave orphans; nil for all others.
  func baseline(of script: Script, _ references: References?) throws(Fault) -> Baseline? {
    guard let references, let tables = suspects[script.migration.version] else { return nil }
    return try at(script) { () throws(SQLiteError) in
      var baseline = Baseline(references)
      try baseline.add(chosen(references, touching: tables), connection)
      return baseline
    }
  }

  /// Fails on orphans that were not there before the script.
  ///
  /// Most scripts leave none, and that is all there is to know. Where there are some, the script
  /// is undone and run again with a count of those before it.
  func check(
    _ script: Script, _ references: inout References?, _ baseline: Baseline?
  ) throws(Fault) {
    let touches = connection.scriptGuard.touches
    guard !touches.isEmpty || options.foreignKeys == .all else { return }
    // Taken out, or each change would copy them all.
    guard var now = references.take() else { return }
    let found: (first: [Orphan], count: Int)? = try at(script) { () throws(SQLiteError) in
      let change = try now.follow(touches, of: script, connection)
      let suspects =
        if options.foreignKeys == .all { now.all } else {
          try Suspicion(touches: touches, now: now, change: change, script: script)
            .references(connection)
        }
      if let baseline { return try baseline.new(in: suspects, now: now, connection) }
      var isClean = true
      try OrphanSearch.search(suspects, among: .keys, connection) { _ in
        isClean = false
        return false
      }
      return isClean ? ([], 0) : nil
    }
    references = now
    guard let found else {
      throw Fault(script: script, offset: 0, cause: .unknownOrphans(touches.tables))
    }
    guard found.count == 0 else {
      let violations = found.first.map {
        UpgradeError.Violation(
          table: $0.reference.child, row: $0.row, parent: $0.reference.parent)
      }
      throw Fault(
        script: script, offset: 0,
        cause: .reason(.foreignKeys(violations: violations, count: found.count)))
    }
  }

  func chosen(_ references: References, touching tables: Set<String>) -> [Reference] {
    options.foreignKeys == .all ? references.all : references.touching(tables)
  }
}
