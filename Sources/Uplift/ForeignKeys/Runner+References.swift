internal import UpliftSQLite

/// Foreign keys are off while a script runs; what it touched is checked after it.
extension Runner {
  /// The foreign keys as they are now, in the open transaction; nil if none are to be checked.
  func foreignKeys() throws(UpgradeError) -> OrphanCheck? {
    do {
      return try newForeignKeys()
    } catch {
      try rollback()
      throw translated(error)
    }
  }

  func newForeignKeys() throws(SQLiteError) -> OrphanCheck? {
    guard options.foreignKeys != .none else { return nil }
    return try OrphanCheck(checksAll: options.foreignKeys == .all, deadline: deadline, connection)
  }

  /// Begins to follow what a script does; `canBeUndone` is false for one that runs only once.
  func begin(
    _ script: Script, _ foreignKeys: OrphanCheck?, canBeUndone: Bool
  ) throws(ScriptFault) {
    let known: OrphanCheck.Counting = keysWithOrphans.isEmpty ? .none : .some(keysWithOrphans)
    try at(script) { () throws(SQLiteError) in
      try foreignKeys?.begin(
        mayReplace: { script.mayMention("replace") }, counting: canBeUndone ? known : .all,
        first: keysCountedFirst, connection)
    }
  }

  /// Has the orphans of these foreign keys counted before a script touches them.
  ///
  /// If one is there for the second time, no statement named the tables at its ends: then it is
  /// counted before the script begins.
  mutating func count(_ keys: Set<OldForeignKey>) {
    keysCountedFirst.formUnion(keys.intersection(keysWithOrphans))
    keysWithOrphans.formUnion(keys)
  }

  /// Fails on orphans that were not there before the script.
  ///
  /// Most scripts leave none, and that is all there is to know. If there are some, the script is
  /// undone and run again, with a count of those before it.
  func check(_ script: Script, _ foreignKeys: OrphanCheck?) throws(ScriptFault) {
    guard let foreignKeys else { return }
    let findings = try at(script) { () throws(SQLiteError) in
      try foreignKeys.findings(connection)
    }
    switch findings {
    case .none: return
    case .uncounted(let keys):
      throw ScriptFault(script: script, offset: 0, cause: .uncountedOrphans(keys))
    case .violations(let violations):
      // Without one statement that must have made them, it is the script as a whole.
      var offset: Int?
      if case .one(let start) = violations.origin { offset = script.bytes.firstWord(from: start) }
      throw ScriptFault(
        script: script, offset: offset,
        cause: .reason(
          .foreignKeys(
            UpgradeError.ForeignKeyViolations(
              rows: violations.rows, count: violations.count,
              followRemoval: violations.followRemoval))))
    }
  }
}
